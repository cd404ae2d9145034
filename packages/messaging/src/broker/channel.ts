import { within } from '@payments/chassis/base/deadline'
import type { Channel } from 'amqplib'

/** Maximum time of one call to the broker. */
export const callTimeoutMs = 5_000

/**
 * Runs `work` on a new channel, which is closed afterwards. The outcome of `work` stands if that fails: the channel is
 * closed already, or closes with its connection.
 */
export async function withChannel<C extends Channel, R>(
  connection: { openChannel(): Promise<C> },
  work: (channel: C) => Promise<R>,
): Promise<R> {
  const channel = await connection.openChannel()
  let closed = false
  // Closing the channel also rejects the calls in progress. Without a listener, the error would end the process.
  channel.on('error', () => {})
  channel.once('close', () => {
    closed = true
  })
  try {
    return await work(channel)
  } finally {
    if (!closed) await within(callTimeoutMs, 'closing a channel', channel.close()).catch(() => {})
  }
}
