import { sessionWait } from '@payments/chassis/pool'

/**
 * Loaded before each test file. A busy machine can stall a process or the database for seconds, which is no fault of
 * the tested code. `services/payment-proxy/test/overload.test.ts` tests the limit of production.
 */
export const productionWaitMs = sessionWait.maxMs
sessionWait.maxMs = 30_000
