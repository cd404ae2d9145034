import { expect, it } from '@jest/globals'
import { privateBroker } from '@payments/testing/broker/broker'
import amqp from 'amqplib'

it('gives every test another prefix, and discards what a test declared', async () => {
  const [mine, yours] = [await privateBroker(), await privateBroker()]
  expect(mine.prefix).not.toBe(yours.prefix)
  const names = {
    queues: [`${mine.prefix}.queue`, `${mine.prefix}.never-declared`],
    exchanges: [`${mine.prefix}.exchange`],
  }
  const connection = await amqp.connect(mine.url)
  const channel = await connection.createChannel()
  await channel.assertQueue(`${mine.prefix}.queue`)
  await channel.assertExchange(`${mine.prefix}.exchange`, 'topic')
  await mine.discard(names)
  channel.on('error', () => {}) // a check of a missing queue closes the channel
  await expect(channel.checkQueue(`${mine.prefix}.queue`)).rejects.toThrow('NOT_FOUND')
  await connection.close()
})
