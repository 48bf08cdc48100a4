// The types a key can have, by name and by the code in directory rows. Used by: key-entry, keyspace.

import { assert } from '../base/assert.js'
import type { KeyValue, TypeName, TypeSpec } from './key-value.js'
import { hashType } from './hash/hash-value.js'
import { listType } from './list/list-value.js'
import { setType } from './set/set-value.js'
import { streamType } from './stream/stream.js'
import { piecedStringType } from './string/pieced-string.js'
import { stringType } from './string/string-value.js'
import { zsetType } from './zset/zset-value.js'

const SPECS: readonly TypeSpec[] = [stringType, hashType, setType, listType, zsetType, streamType]

/** Found by their code alone: other forms of a type. */
const FORMS: readonly TypeSpec[] = [piecedStringType]

/** The spec of a code in a directory row; undefined when this build does not know it. */
export function typeByCode(code: number): TypeSpec | undefined {
  return BY_CODE[code]
}

/** What stands in the directory for a key with this value. */
export function specOf(value: KeyValue): TypeSpec {
  const spec = value.spec ?? BY_NAME.get(value.type)
  assert(spec !== undefined, `type ${value.type} is registered`)
  return spec
}

const BY_CODE: TypeSpec[] = []
const BY_NAME = new Map<TypeName, TypeSpec>()
for (const spec of SPECS) {
  BY_CODE[spec.code] = spec
  BY_NAME.set(spec.name, spec)
}
for (const spec of FORMS) BY_CODE[spec.code] = spec
