import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '@payments/chassis/base/config'

/** One file of the audit spool. Names are UUIDs v7, so their order is the order of creation. */
export interface Segment {
  readonly path: string
  /** Bytes of complete lines, which the shipper may publish. */
  written: number
  /** Bytes that the broker has confirmed. */
  shipped: number
  /** The writer still appends to the segment. */
  isOpen: boolean
}

const suffix = '.audit'

export function segmentPath(directory: string, id: string): string {
  return join(directory, `${id}${suffix}`)
}

/**
 * The segments of earlier processes, oldest first. A crash truncates the last line of a segment at most. Throws
 * ConfigError when the directory cannot be created.
 */
export async function leftoverSegments(directory: string): Promise<Segment[]> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new ConfigError(`AUDIT_DIRECTORY: ${directory} cannot be created: ${(cause as NodeJS.ErrnoException).code}`, {
      cause,
    })
  }
  const names = (await readdir(directory)).filter((name) => name.endsWith(suffix)).sort()
  return Promise.all(
    names.map(async (name) => {
      const path = join(directory, name)
      return { path, written: (await stat(path)).size, shipped: 0, isOpen: false }
    }),
  )
}

const newline = 0x0a

export type SegmentRange =
  | { readonly kind: 'lines'; readonly bytes: Buffer }
  /** Bytes without a line end: a line truncated by a crash, or a line damaged by the disk. */
  | { readonly kind: 'torn'; readonly length: number }

/** The next unshipped lines, `bytesMax` bytes at most. Undefined when every line is shipped. */
export async function readSegmentRange(segment: Segment, bytesMax: number): Promise<SegmentRange | undefined> {
  const { path, shipped, written } = segment
  if (shipped >= written) return undefined
  const chunks: Buffer[] = []
  const end = Math.min(written, shipped + bytesMax) - 1
  for await (const chunk of createReadStream(path, { start: shipped, end })) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  const length = bytes.lastIndexOf(newline) + 1
  if (length > 0) return { kind: 'lines', bytes: bytes.subarray(0, length) }
  return { kind: 'torn', length: Math.max(1, bytes.length) }
}

export async function removeSegment({ path }: Segment): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    // Deleted by an operator.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** Makes the file names in a directory durable. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
