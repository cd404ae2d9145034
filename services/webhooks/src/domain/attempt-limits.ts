/** From the start of an attempt: to a connection, and to the last byte. And what is kept of the answer. */
export const attemptLimits = { connectTimeoutMs: 3_000, totalTimeoutMs: 10_000, responseBytesMax: 16 * 1024 }
