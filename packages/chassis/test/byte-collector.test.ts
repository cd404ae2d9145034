import { expect, test } from '@jest/globals'
import { createByteCollector } from '../src/base/byte-collector.ts'

/** Adds chunks of one length until one is refused, or the limit is reached. */
function fill(bytesMax: number, chunkLength: number) {
  const collector = createByteCollector(bytesMax)
  const chunk = Buffer.alloc(chunkLength, 'x')
  for (;;) {
    const excess = collector.excess(chunk)
    if (excess !== undefined) {
      const collected = collector.collected()
      return { excess, bytes: collected.length, memory: collected.buffer.byteLength }
    }
    collector.add(chunk)
  }
}

test('collects chunks in their order', () => {
  const collector = createByteCollector(100)
  for (const text of ['ab', '', 'c', 'defgh']) {
    expect(collector.excess(Buffer.from(text))).toBeUndefined()
    collector.add(Buffer.from(text))
  }
  expect(collector.collected().toString()).toBe('abcdefgh')
})

test('takes a body in chunks of 64 bytes up to the limit, and never enlarges the buffer beyond it', () => {
  expect(fill(65_536, 64)).toEqual({ excess: 'too_many_bytes', bytes: 65_536, memory: 65_536 })
  expect(fill(1_000, 300)).toMatchObject({ excess: 'too_many_bytes', bytes: 900 })
})

test('refuses a body of many small chunks, whose memory is that of its bytes', () => {
  const { excess, bytes, memory } = fill(65_536, 1)
  expect(excess).toBe('too_many_chunks')
  expect(bytes).toBeLessThan(1_100)
  expect(memory).toBeLessThan(1.3 * bytes)
  // Empty chunks count too.
  expect(fill(65_536, 0).excess).toBe('too_many_chunks')
})
