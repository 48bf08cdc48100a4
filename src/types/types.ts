// The types a key can have, by name and by the code in directory rows. Used by: key-entry, keyspace.

import type { TypeName, TypeSpec } from './key-value.js'
import { hashType } from './hash/hash-value.js'
import { listType } from './list/list-value.js'
import { setType } from './set/set-value.js'
import { streamType } from './stream/stream.js'
import { stringType } from './string/string-value.js'
import { zsetType } from './zset/zset-value.js'

const SPECS: readonly TypeSpec[] = [stringType, hashType, setType, listType, zsetType, streamType]

/** The spec of a code in a directory row; undefined when this build does not know it. */
export function typeByCode(code: number): TypeSpec | undefined {
  return BY_CODE[code]
}

export function typeByName(name: TypeName): TypeSpec | undefined {
  return BY_NAME.get(name)
}

const BY_CODE: TypeSpec[] = []
const BY_NAME = new Map<TypeName, TypeSpec>()
for (const spec of SPECS) {
  BY_CODE[spec.code] = spec
  BY_NAME.set(spec.name, spec)
}
