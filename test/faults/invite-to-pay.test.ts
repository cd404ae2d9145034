/** @slow It kills and pauses the processes of its own platform. */
import { afterAll, beforeAll, test } from '@jest/globals'
import { inviteToPay } from './invite-to-pay/scenario.ts'
import { faultRun } from './runner/runner.ts'

/**
 * A link is paid once and never late, and its messages and events arrive: after each fault, codes, transactions,
 * ledger, messages and events are compared. `npm run faults invite-to-pay` runs all faults, on its own servers; here
 * one runs that kills no server.
 */
const { faults, open, inject, close } = faultRun(inviteToPay)

beforeAll(open, 300_000)
afterAll(close, 120_000)
test.each(faults)('a link is paid once, and its messages and events arrive: $name', inject, 600_000)
