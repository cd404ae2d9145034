/** A body may be cut anywhere: this many chunks, and one more for each 64 bytes. */
const chunksMax = 1_000
const bytesPerChunk = 64
/** The buffer has up to a quarter more than was added. */
const spare = 1.25

/**
 * Copies the chunks of a body into one buffer. A chunk by itself costs a hundred times its bytes: an HTTP body of
 * 64 KiB can come in 65,536 chunks, each of which keeps the read of the socket that it is a part of.
 */
export interface ByteCollector {
  /** Counts a chunk. Returns the limit that the body exceeds with it; undefined where the chunk can be added. */
  excess(chunk: Uint8Array): 'too_many_bytes' | 'too_many_chunks' | undefined
  add(chunk: Uint8Array): void
  /** The added bytes, without a copy. */
  collected(): Buffer
}

export function createByteCollector(bytesMax: number): ByteCollector {
  let buffer = Buffer.alloc(0)
  let bytes = 0
  let chunks = 0
  return {
    excess(chunk) {
      chunks += 1
      const received = bytes + chunk.length
      if (received > bytesMax) return 'too_many_bytes'
      return chunks > chunksMax + received / bytesPerChunk ? 'too_many_chunks' : undefined
    },
    add(chunk) {
      const needed = bytes + chunk.length
      if (needed > buffer.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(Math.ceil(spare * buffer.length), bytesMax)))
        buffer.copy(larger, 0, 0, bytes)
        buffer = larger
      }
      buffer.set(chunk, bytes)
      bytes += chunk.length
    },
    collected: () => buffer.subarray(0, bytes),
  }
}
