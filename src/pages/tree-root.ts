// The root of a tree: bytes that the owner of the tree keeps in its own head row. They hold the tree's id and counters
// and, for each block, its number and sums; of a small tree, the descriptors themselves (docs/format/pages.md).

import { CorruptionError } from '../base/errors.js'
import type { StoreObject } from '../store/row.js'
import type { BlockList } from './block-list.js'
import { ByteReader } from './byte-reader.js'
import { ByteWriter } from './byte-writer.js'
import {
  bodyOf,
  DescriptorBlock,
  INLINE_BLOCK_NO,
  NODES_INLINE_MAX,
  NODES_PER_BLOCK_MAX,
  readNodes,
} from './descriptor-block.js'
import { ascends, type Page, type PageCodec } from './page.js'
import { DESCRIPTOR_BYTES_EXPECTED, PAGE_NO_MAX, writeDescriptor, type TreeIdentity } from './page-node.js'

const VERSION = 1
const FORM_INLINE = 0
const FORM_BLOCKS = 1

export interface Root<K, P extends Page<K>> {
  readonly tree: TreeIdentity<K, P>
  readonly nextPageNo: number
  readonly nextBlockNo: number
  readonly blocks: readonly DescriptorBlock<K, P>[]
}

export function encodeRoot<K, P extends Page<K>>(
  tree: TreeIdentity<K, P>,
  nextPageNo: number,
  nextBlockNo: number,
  list: BlockList<K, P>,
): Buffer {
  const { blocks } = list
  const inlineBody = blocks.length === 1 && blocks[0].inline ? blocks[0].body : undefined
  const inline = blocks.length === 0 || inlineBody !== undefined
  const nodes = inlineBody?.nodes ?? []
  const writer = new ByteWriter(20 + DESCRIPTOR_BYTES_EXPECTED * (inline ? nodes.length : blocks.length))
  writer.u8(VERSION)
  writer.u8(tree.codec.kind)
  writer.u8(inline ? FORM_INLINE : FORM_BLOCKS)
  writer.u48(tree.id)
  writer.varint(nextPageNo)
  writer.varint(nextBlockNo)
  writer.varint(inline ? nodes.length : blocks.length)
  if (inline) for (const node of nodes) writeDescriptor(writer, node)
  else for (const block of blocks) writeBlock(writer, block)
  return writer.done()
}

/** @throws CorruptionError */
export function decodeRoot<K, P extends Page<K>>(
  bytes: Buffer,
  codec: PageCodec<K, P>,
  owner: StoreObject,
): Root<K, P> {
  const reader = new ByteReader(bytes, `a tree root of object ${owner.id}`)
  const version = reader.u8()
  if (version !== VERSION) throw new CorruptionError(`${reader.what} has version ${version}, not ${VERSION}`)
  const kind = reader.u8()
  if (kind !== codec.kind) throw new CorruptionError(`${reader.what} has pages of kind ${kind}, not ${codec.kind}`)
  const form = reader.u8()
  if (form > FORM_BLOCKS) throw new CorruptionError(`${reader.what} has the unknown form ${form}`)
  const tree: TreeIdentity<K, P> = { id: reader.u48(), codec, owner }
  const nextPageNo = reader.varint()
  const nextBlockNo = reader.varint()
  const entries = reader.varint()
  const blocks = form === FORM_INLINE ? readInline(reader, tree, entries) : readBlocks(reader, tree, entries)
  reader.end()
  const root = { tree, nextPageNo, nextBlockNo, blocks }
  checkNumbers(root, reader.what)
  return root
}

/** The id of the tree whose root this is, the rest of which is not looked at. @throws CorruptionError */
export function treeIdOfRoot(bytes: Buffer): number {
  const reader = new ByteReader(bytes, 'a tree root')
  const version = reader.u8()
  if (version !== VERSION) throw new CorruptionError(`${reader.what} has version ${version}, not ${VERSION}`)
  reader.u8()
  reader.u8()
  return reader.u48()
}

// Block: varints number, pages, items, body bytes, lower bound of the summaries; then the separator with its length.

function writeBlock<K, P extends Page<K>>(writer: ByteWriter, block: DescriptorBlock<K, P>): void {
  writer.varint(block.number)
  writer.varint(block.nodeCount)
  writer.varint(block.count)
  writer.varint(block.bodyBytes)
  writer.varint(block.summaryMin)
  writer.sized(block.tree.codec.encodeKey(block.firstKey))
}

function readBlocks<K, P extends Page<K>>(
  reader: ByteReader,
  tree: TreeIdentity<K, P>,
  entries: number,
): DescriptorBlock<K, P>[] {
  const blocks: DescriptorBlock<K, P>[] = []
  for (let i = 0; i < entries; i++) {
    const number = reader.varint()
    const nodeCount = reader.varint()
    const count = reader.varint()
    const bodyBytes = reader.varint()
    const summaryMin = reader.varint()
    const block = new DescriptorBlock(tree, number, tree.codec.decodeKey(reader.sized()))
    block.nodeCount = nodeCount
    block.count = count
    block.bodyBytes = bodyBytes
    block.summaryMin = summaryMin
    block.visibleMin = summaryMin
    if (number === INLINE_BLOCK_NO || number > PAGE_NO_MAX) {
      throw new CorruptionError(`${reader.what} names block ${number}`)
    }
    if (nodeCount === 0 || nodeCount > NODES_PER_BLOCK_MAX) {
      throw new CorruptionError(`${reader.what} gives block ${number} ${nodeCount} pages`)
    }
    if (i > 0 && !ascends(tree.codec, blocks[i - 1].firstKey, block.firstKey)) {
      throw new CorruptionError(`${reader.what} has blocks out of order`)
    }
    blocks.push(block)
  }
  return blocks
}

function readInline<K, P extends Page<K>>(
  reader: ByteReader,
  tree: TreeIdentity<K, P>,
  entries: number,
): DescriptorBlock<K, P>[] {
  if (entries > NODES_INLINE_MAX) throw new CorruptionError(`${reader.what} describes ${entries} pages inline`)
  if (entries === 0) return []
  const nodes = readNodes(reader, tree, entries)
  const block = new DescriptorBlock(tree, INLINE_BLOCK_NO, nodes[0].firstKey)
  const body = bodyOf(block, nodes)
  block.body = body
  block.nodeCount = entries
  for (const node of body.nodes) {
    block.count += node.count
    block.bodyBytes += node.bodyBytes
    block.summaryMin = Math.min(block.summaryMin, node.summary)
  }
  block.visibleMin = block.summaryMin
  return [block]
}

function checkNumbers<K, P extends Page<K>>(root: Root<K, P>, what: string): void {
  const seen = new Set<number>()
  for (const block of root.blocks) {
    if (!block.inline && (block.number >= root.nextBlockNo || seen.has(block.number))) {
      throw new CorruptionError(`${what} names block ${block.number} twice or too early`)
    }
    seen.add(block.number)
    for (const node of block.body?.nodes ?? []) {
      if (node.pageNo >= root.nextPageNo) throw new CorruptionError(`${what} names page ${node.pageNo} too early`)
    }
  }
}
