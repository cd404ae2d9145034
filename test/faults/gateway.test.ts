/** @slow It kills and pauses the processes of its own platform. */
import { afterAll, beforeAll, test } from '@jest/globals'
import { gateway } from './gateway/scenario.ts'
import { faultRun } from './runner/runner.ts'

/**
 * One client does not take the platform from the others. `npm run faults gateway` runs all pressures, on servers of its
 * own; here three of them run for a few seconds each. Linux only: the attacker has other addresses of the loopback
 * network.
 */
const { faults, open, inject, close } = faultRun(gateway)

beforeAll(open, 300_000)
afterAll(close, 120_000)
test.each(faults)('another tenant is served, and its requests are recorded, under $name', inject, 600_000)
