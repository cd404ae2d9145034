// Writes audit records as fast as possible, and prints the id of each once it is reported as written. Runs compiled
// code.
import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { encodeAuditLine } from '@payments/contracts/edges/audit-line'
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
  onWrite: ignore,
  onFailure: ignore,
})

function next() {
  const id = randomUUID()
  file.append(encodeAuditLine({ ...JSON.parse(record), id }), false, (error) => {
    // Synchronously, as a response would leave: a printed id must be in the file already.
    if (error === undefined) writeSync(1, `${id}\n`)
    next()
  })
}
for (let i = 0; i < 20; i++) next()
