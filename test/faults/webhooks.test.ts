import { afterAll, beforeAll, test } from '@jest/globals'
import { faultRun } from './runner/runner.ts'
import { webhooks } from './webhooks/scenario.ts'

/**
 * No committed event is lost: after each fault, the state of every event is checked (webhooks/invariant.ts). `npm run
 * faults webhooks` runs all faults, on its own servers; here a few run that kill no server.
 */
const { faults, open, inject, close } = faultRun(webhooks)

beforeAll(open, 300_000)
afterAll(close, 120_000)
test.each(faults)('nothing is lost: $name', inject, 600_000)
