import { afterAll, beforeAll, test } from '@jest/globals'
import { payments } from './payments/scenario.ts'
import { faultRun } from './runner/runner.ts'

/**
 * The books stay exact: after each fault, our books are compared with the ledger of the provider and with the
 * responses. `npm run faults payments` runs all faults, on its own servers; here one runs that kills no server.
 */
const { faults, open, inject, close } = faultRun(payments)

beforeAll(open, 300_000)
afterAll(close, 120_000)
test.each(faults)('the books are exact: $name', inject, 600_000)
