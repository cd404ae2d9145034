// @ts-check
/**
 * Authorizes and captures a payment, lists transactions, and verifies the webhook of the capture. Needs a running
 * platform that may deliver to this machine, such as the platform of `npm start`, and four variables:
 *
 *   API=http://127.0.0.1:8080/v1 TENANT=… UNIT=… KEY=… node packages/client/examples/payment-and-webhook.mjs
 */
import { createServer } from 'node:http'
import { createClient } from '@payments/client'
import { PaymentServiceError } from '@payments/client/errors'
import { verifyWebhook, WebhookVerificationError } from '@payments/client/webhooks'

const { API = '', TENANT: tenantId = '', UNIT: unit = '', KEY: credential = '' } = process.env
const webhookTimeoutMs = 60_000
const bodyBytesMax = 1024 * 1024

const payments = createClient({ baseUrl: API, tenantId, credential })
const receiver = await startReceiver()
const { id: subscriptionId } = await payments.createSubscription({
  business_unit_id: unit,
  body: { destination_url: receiver.url, event_types: ['payment-proxy.transactions.capture'] },
})
try {
  const subscription = { business_unit_id: unit, bu_webhook_id: subscriptionId }
  const { secret } = await payments.revealSubscription(subscription)
  receiver.verifyWith(secret)

  const authorized = await payments.createAndAuthorizeTransaction({
    body: {
      business_unit_id: unit,
      currency: 'EUR',
      amount: 1999,
      payment_details: { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' },
    },
  })
  console.log(`authorized ${authorized.id}`)

  for await (const transaction of payments.listTransactions({ business_unit_id: unit, limit: 50 })) {
    console.log(`listed ${transaction.id}: ${transaction.status}, ${transaction.amount} ${transaction.currency}`)
    if (transaction.id === authorized.id) break
  }

  const captured = await payments.captureTransaction({ transaction_id: authorized.id, body: { amount: 1500 } })
  console.log(`captured ${captured.amount_captured} of ${captured.amount}`)

  const event = await receiver.event
  if (event.event_type === 'payment-proxy.transactions.capture') {
    console.log(`verified ${event.event_type} of ${event.metadata.payload.transaction.id}`)
  }
} catch (error) {
  if (!(error instanceof PaymentServiceError)) throw error
  console.error(`${error.status} ${error.code}: ${error.detail} (Trace-ID ${error.traceId})`)
  for (const { pointer, detail } of error.errors) console.error(`  ${pointer} ${detail}`)
  process.exitCode = 1
} finally {
  receiver.close()
  // A failure here must not hide the first error.
  await payments.deleteSubscription({ business_unit_id: unit, bu_webhook_id: subscriptionId }).catch((error) => {
    console.error(`The subscription ${subscriptionId} was not deleted: ${error}`)
    process.exitCode = 1
  })
}

/** A webhook endpoint on loopback. `event` resolves with the first verified event. */
async function startReceiver() {
  let secret = ''
  const server = createServer()
  /** @type {Promise<import('@payments/client/webhooks').WebhookEvent>} */
  const event = new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('No webhook arrived in time')), webhookTimeoutMs)
    server.once('close', () => clearTimeout(timer))
    server.on('request', async (request, response) => {
      try {
        const verified = await verifyWebhook(await readBody(request), request.headers, secret)
        // A delivery may arrive twice: store `tenant_event_id` with its effect, and skip an event that is stored.
        response.writeHead(204).end()
        resolve(verified)
      } catch (error) {
        response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end()
      }
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    event,
    /** @param {string} value */
    verifyWith(value) {
      secret = value
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/**
 * The bytes as received: a signature is over these bytes, not over parsed JSON.
 *
 * @param {import('node:http').IncomingMessage} request
 */
async function readBody(request) {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) throw new Error('The body is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
