import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { lookupThrough } from '../src/resolve.ts'

/** More than Node has threads, whatever UV_THREADPOOL_SIZE says up to this number. */
const threads = 16

test('a lookup needs no thread of Node, so slow names of one tenant do not delay those of another', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'resolve-'))
  const fifo = join(directory, 'fifo')
  execFileSync('mkfifo', [fifo])
  // The open of a FIFO without a writer occupies its thread.
  let occupied = threads
  const readers = Array.from({ length: threads }, () => open(fifo, 'r').finally(() => (occupied -= 1)))
  try {
    // The name does not exist, and whether a name server responds does not matter here.
    await lookupThrough([])('nowhere.invalid').catch(() => [])
    expect(occupied).toBe(threads)
  } finally {
    const writer = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK)
    for (const reader of readers) await (await reader).close()
    closeSync(writer)
    rmSync(directory, { recursive: true })
  }
})

test('localhost needs no name server', async () => {
  expect(await lookupThrough([])('localhost')).toContain('127.0.0.1')
})
