// A set: integers in order while it has nothing else and is small, else members by name. Used by: commands, types.
// Its forms only ever change in one direction: integers, packed, tree.

import { CorruptionError } from '../../base/errors.js'
import { int64Of } from '../../base/numbers.js'
import type { Rows } from '../../store/rows.js'
import { FieldTree } from '../hashed/field-tree.js'
import { FORM } from '../hashed/fields.js'
import type { Fields } from '../hashed/fields.js'
import { FieldsValue } from '../hashed/fields-value.js'
import { PackedFields } from '../hashed/packed-fields.js'
import type { TypeSpec } from '../key-value.js'
import { IntegerSet } from './integer-set.js'

/** Redis takes no larger one, whatever the configuration says. */
const INTEGERS_MAX = 2 ** 30
const NOTHING = ''
/** What set-max-intset-entries is unless it is set. */
const INTEGERS_MAX_DEFAULT = 512

export class SetValue extends FieldsValue {
  readonly type = 'set'

  /** A new, empty set, for a caller who adds to it at once. */
  static create(rows: Rows): SetValue {
    const set = new SetValue(rows, rows.newId(), new IntegerSet())
    rows.touchNew(set)
    return set
  }

  static stored(rows: Rows, objectId: number): SetValue {
    return new SetValue(rows, objectId, undefined)
  }

  get encoding(): string {
    return this.fields.form === FORM.integers ? 'intset' : 'hashtable'
  }

  /**
   * Adds a member (a latin1 string); says whether it is new.
   * @param integersMax a set of more integers is no intset: set-max-intset-entries
   */
  add(member: string, integersMax: number): boolean {
    const fields = this.fields
    if (fields instanceof FieldTree) return fields.set(member, NOTHING)
    if (fields.has(member)) return false
    this.willChange(fields)
    const target = this.#formFor(fields, member)
    target.set(member, NOTHING)
    const tooMany = target.form === FORM.integers && target.count > Math.min(integersMax, INTEGERS_MAX)
    this.didChange(tooMany ? this.#unpack(target, NOTHING) : target)
    return true
  }

  /** `fields`, or what they must become to take `member`. */
  #formFor(fields: Fields, member: string): Fields {
    if (fields instanceof IntegerSet) return int64Of(member) === undefined ? this.#unpack(fields, member) : fields
    if (fields instanceof PackedFields && !fields.hasRoom(member.length)) return this.#moved(fields, this.makeTree())
    return fields
  }

  /** Integers as members by name, in the form that has room for `member` too. */
  #unpack(fields: Fields, member: string): Fields {
    const packed = new PackedFields(FORM.packed)
    const fits = !fields.some(field => {
      if (!packed.hasRoom(field.length)) return true
      packed.set(field, NOTHING)
      return false
    })
    return fits && packed.hasRoom(member.length) ? packed : this.#moved(fields, this.makeTree())
  }

  #moved(from: Fields, to: Fields): Fields {
    from.some(field => {
      to.set(field, NOTHING)
      return false
    })
    return to
  }

  copy(): SetValue {
    const twin = SetValue.create(this.rows)
    twin.copyFrom(this)
    return twin
  }

  salvaged(step: () => void): SetValue | undefined {
    const fields = this.readableContents
    if (!(fields instanceof FieldTree)) return undefined
    const twin = SetValue.create(this.rows)
    fields.eachWhole(member => {
      twin.add(member, INTEGERS_MAX_DEFAULT)
      step()
    })
    return twin
  }

  digest(feed: (bytes: Uint8Array) => void): void {
    const members: string[] = []
    this.each(member => void members.push(member))
    members.sort()
    for (const member of members) feed(Buffer.from(member, 'latin1'))
  }

  protected decodeOther(form: number, bytes: Buffer, what: string): Fields {
    if (form !== FORM.integers) throw new CorruptionError(`${what} has the unknown form ${form}`)
    return IntegerSet.decode(bytes, what)
  }
}

export const setType: TypeSpec = {
  name: 'set',
  code: 3,
  load: (rows, objectId) => SetValue.stored(rows, objectId),
}
