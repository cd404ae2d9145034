/**
 * Time limits from the start of an attempt to a connection and to the last byte; bytes of the response that are
 * stored.
 */
export const attemptLimits = { connectTimeoutMs: 3_000, totalTimeoutMs: 10_000, responseBytesMax: 16 * 1024 }
