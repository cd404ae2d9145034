import { setTimeout as delay } from 'node:timers/promises'

/** A payer at the page of the bank of the sandbox, without JavaScript. */
export type Decision = 'confirm' | 'decline'

const requestTimeoutMs = 25_000
const attemptsMax = 200
const pauseMs = 150

/** Decides, and returns the page that the bank leads back to. Null when the payment cannot be decided any more. */
export async function decideAtBank(url: string, decision: Decision): Promise<string | null> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1, await delay(pauseMs)) {
    const response = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ decision }),
      headers: { 'sec-fetch-site': 'same-origin' },
      redirect: 'manual',
      signal: AbortSignal.timeout(requestTimeoutMs),
    }).catch(() => undefined)
    // A lost response: the bank takes one decision, so the payer decides again.
    if (response === undefined || response.status >= 500 || response.status === 429) continue
    if (response.status === 303) return response.headers.get('location')
    if (response.status === 410) return null
    throw new Error(`the bank: ${response.status} ${await response.text()}`)
  }
  throw new Error(`the bank did not respond ${attemptsMax} times`)
}
