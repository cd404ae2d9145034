const unlimited = String(1_000_000_000)

/** Environment of a gateway whose rate limits reject nothing. Requests are still counted. */
export const unlimitedRates = {
  REQUESTS_PER_SECOND_PER_KEY: unlimited,
  REQUEST_BURST_PER_KEY: unlimited,
  REQUESTS_PER_SECOND_PER_TENANT: unlimited,
  REQUEST_BURST_PER_TENANT: unlimited,
} as const
