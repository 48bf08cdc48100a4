// The slow, obvious stream: plain arrays and maps. The tests of this folder hold the real one against it.

import { compareIds, formatId } from '../../../src/base/stream-id.js'
import type { StreamId } from '../../../src/base/stream-id.js'
import type { Trim } from '../../../src/types/stream/trim.js'
import type { ConsumerGroup } from '../../../src/types/stream/group.js'
import type { Stream } from '../../../src/types/stream/stream.js'
import type { Pending } from '../../../src/types/stream/pending.js'
import { ID_MAX, ID_MIN } from '../../../src/base/stream-id.js'
import { entryWire, textOf } from './stream-fixture.js'
import type { Fields } from './stream-fixture.js'

export interface ModelPending {
  readonly id: StreamId
  owner: string
  deliveredMs: number
  deliveries: number
}

export class ModelGroup {
  lastDeliveredId: StreamId
  readonly consumers = new Map<string, { seenMs: number; activeMs: number | undefined }>()
  pending: ModelPending[] = []

  constructor(lastDeliveredId: StreamId) {
    this.lastDeliveredId = lastDeliveredId
  }

  set(id: StreamId, owner: string, deliveredMs: number, deliveries: number): void {
    this.ack(id)
    this.pending.push({ id, owner, deliveredMs, deliveries })
    this.pending.sort((a, b) => compareIds(a.id, b.id))
  }

  ack(id: StreamId): boolean {
    const before = this.pending.length
    this.pending = this.pending.filter(entry => compareIds(entry.id, id) !== 0)
    return this.pending.length < before
  }

  deleteConsumer(name: string): number | undefined {
    if (!this.consumers.delete(name)) return undefined
    const before = this.pending.length
    this.pending = this.pending.filter(entry => entry.owner !== name)
    return before - this.pending.length
  }
}

export class ModelStream {
  entries: { id: StreamId; fields: Fields }[] = []
  readonly groups = new Map<string, ModelGroup>()

  range(start: StreamId, end: StreamId): { id: StreamId; fields: Fields }[] {
    return this.entries.filter(({ id }) => compareIds(start, id) <= 0 && compareIds(id, end) <= 0)
  }

  delete(id: StreamId): boolean {
    const before = this.entries.length
    this.entries = this.entries.filter(entry => compareIds(entry.id, id) !== 0)
    return this.entries.length < before
  }

  /** Exact trims only. */
  trim(trim: Trim): number {
    const before = this.entries.length
    if (trim.by === 'maxlen') this.entries = this.entries.slice(Math.max(0, before - trim.length))
    else this.entries = this.entries.filter(({ id }) => compareIds(id, trim.id) >= 0)
    return before - this.entries.length
  }

  deliver(group: ModelGroup, consumer: string, max: number, nowMs: number, noAck: boolean): string {
    const given = this.entries.filter(({ id }) => compareIds(id, group.lastDeliveredId) > 0).slice(0, max)
    for (const { id } of given) {
      group.lastDeliveredId = id
      if (!noAck) group.set(id, consumer, nowMs, 1)
    }
    return given.map(({ id, fields }) => entryWire(id, fields)).join('')
  }
}

/** All there is to see of a stream, as text. */
export function pictureOf(stream: Stream): unknown {
  return {
    length: stream.length,
    firstId: formatId(stream.firstId),
    entries: textOf(stream.range(ID_MIN, ID_MAX, Infinity)),
    groups: [...stream.groups()].map(groupPicture),
  }
}

function groupPicture(group: ConsumerGroup): unknown {
  return {
    name: group.name,
    lastDeliveredId: formatId(group.lastDeliveredId),
    consumers: [...group.consumers()].map(({ name, seenMs, activeMs, pendingCount }) => {
      return { name, seenMs, activeMs, pendingCount }
    }),
    pending: [...group.pendingRange(ID_MIN, ID_MAX)].map(pendingPicture),
    owned: [...group.consumers()].map(owner => [...group.pendingRange(ID_MIN, ID_MAX, owner)].map(pendingPicture)),
    ends: [group.firstPendingId(), group.lastPendingId()].map(id => id && formatId(id)),
  }
}

export function pendingPicture({ id, ownerName, deliveredMs, deliveries }: Pending): string {
  return `${formatId(id)} ${ownerName} ${deliveredMs} ${deliveries}`
}

export function modelPendingPicture({ id, owner, deliveredMs, deliveries }: ModelPending): string {
  return `${formatId(id)} ${owner} ${deliveredMs} ${deliveries}`
}

export function modelPictureOf(model: ModelStream): unknown {
  return {
    length: model.entries.length,
    firstId: formatId(model.entries[0]?.id ?? ID_MIN),
    entries: model.entries.map(({ id, fields }) => entryWire(id, fields)).join(''),
    groups: [...model.groups.keys()].sort().map(name => modelGroupPicture(name, model.groups.get(name) as ModelGroup)),
  }
}

function modelGroupPicture(name: string, group: ModelGroup): unknown {
  const { pending } = group
  const names = [...group.consumers.keys()].sort()
  return {
    name,
    lastDeliveredId: formatId(group.lastDeliveredId),
    consumers: names.map(consumer => {
      const times = group.consumers.get(consumer)
      return { name: consumer, ...times, pendingCount: pending.filter(({ owner }) => owner === consumer).length }
    }),
    pending: pending.map(modelPendingPicture),
    owned: names.map(consumer => pending.filter(({ owner }) => owner === consumer).map(modelPendingPicture)),
    ends: [pending[0]?.id, pending[pending.length - 1]?.id].map(id => id && formatId(id)),
  }
}
