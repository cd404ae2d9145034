import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '@payments/chassis/config'

/** One file of the write-ahead file. Names are UUIDs v7, so their order is the order in which they were begun. */
export interface Segment {
  readonly path: string
  /** Bytes of whole lines: what may be shipped. */
  written: number
  /** Bytes that the broker has confirmed. */
  shipped: number
  /** Still being written to. */
  isOpen: boolean
}

const suffix = '.audit'

export function segmentPath(directory: string, id: string): string {
  return join(directory, `${id}${suffix}`)
}

/**
 * What earlier processes left behind, oldest first. A line that was torn by a crash is at the very end, if anywhere.
 * Throws ConfigError where the directory cannot be used.
 */
export async function leftoverSegments(directory: string): Promise<Segment[]> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new ConfigError(`AUDIT_DIRECTORY: ${directory} cannot be made: ${(cause as NodeJS.ErrnoException).code}`, {
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
  /** Whole lines, as they are. */
  | { readonly kind: 'lines'; readonly bytes: Buffer }
  /** No line ends here: the end of a file that a crash cut off, or what a broken disk made of a line. */
  | { readonly kind: 'torn'; readonly length: number }

/** The next lines that are not shipped, at most `bytesMax`. Undefined where there are none. */
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
    // Somebody tidied up before us.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** Makes the names in a directory as durable as the files. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
