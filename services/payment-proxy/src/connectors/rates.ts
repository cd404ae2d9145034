import { createRates, type Rate } from '@payments/chassis/base/rates'

/** The rate at which each payment orchestrator may report events: `burst` at once, then `perSecond`. */
export const eventRate: Rate = { perSecond: 50, burst: 500 }

/** The rate at which each tenant may check its payment orchestrators. */
const checkRate: Rate = { perSecond: 1 / 6, burst: 10 }

/** The rate at which the tenant may have each transaction synced. */
const syncRate: Rate = { perSecond: 1 / 5, burst: 20 }

/** The rates of requests that call a payment provider without an operation. */
export const createRequestRates = () => ({
  secondsToCheck: createRates(checkRate),
  secondsToSync: createRates(syncRate),
})
