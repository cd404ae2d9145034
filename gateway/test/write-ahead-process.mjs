// Writes audit records as fast as it can and names each on its output once it is said to be in the file. Runs the compiled code.
import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { encodeAuditLine } from '@payments/contracts/audit-line'
import { pino } from 'pino'
import { leftoverSegments } from '../dist/audit/segment.js'
import { WriteAheadFile } from '../dist/audit/write-ahead-file.js'

const [, , directory, record] = process.argv
const segments = await leftoverSegments(directory)
const log = pino({ level: 'warn' }, process.stderr)
const ignore = () => {}
const file = new WriteAheadFile({
  directory,
  segments,
  segmentBytesMax: 64 * 1024,
  log,
  written: ignore,
  failed: ignore,
})

function next() {
  const id = randomUUID()
  file.append(encodeAuditLine({ ...JSON.parse(record), id }), false, (error) => {
    // At once, as an answer would: what is said after this must be true already.
    if (error === undefined) writeSync(1, `${id}\n`)
    next()
  })
}
for (let i = 0; i < 20; i++) next()
