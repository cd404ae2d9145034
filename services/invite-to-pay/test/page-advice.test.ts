import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach } from '@jest/globals'
import { type PageAdvice, pageAdviceSuite } from '@payments/testing/suites/page-advice'
import { en } from '@payments/texts/en'
import { explainedDeclines } from '@payments/texts/texts'
import { createApp } from '../src/app.ts'
import { confirmingCode } from './confirmations.ts'
import { bankUrl, endConfirmation } from './ledger.ts'
import { followedElsewhere, withoutAdvice } from './page-advice.ts'
import { textsIn } from './table-texts.ts'
import { codesPath, payPagePath, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())
beforeEach(() => {
  Object.assign(world.rbac.state, { isDown: false })
})

type Code = Awaited<ReturnType<ReturnType<World['tenant']>['create']>>

/** Each instruction leads to a payment, unless `leadsTo` is given. */
const advice = (
  page: string,
  instruction: string,
  given: () => Promise<{ shown: { text: string }; advised: () => Promise<unknown>; leadsTo?: unknown }>,
): PageAdvice => ({
  page,
  advice: instruction,
  given: async () => {
    const { shown, advised, leadsTo = 'completed' } = await given()
    return { shown: shown.text, advised, leadsTo }
  },
})

async function newCode() {
  const tenant = world.tenant()
  const code = await tenant.create()
  /** Pays with another card than before. Returns the status of the code. */
  const pay = async (paid: Code = code, at = tenant): Promise<string> => {
    await world.pay(paid)
    return (await at.read(paid.id)).status
  }
  return { tenant, code, pay, show: () => world.payer.get(payPagePath(code)) }
}

/** The page after a decline with each reason, and another payment. The instruction is the last sentence. */
const ofDeclines = [...explainedDeclines, 'other' as const].flatMap((reason) => {
  const [, instruction] = en.payPage.declines[reason].split('. ')
  if (instruction === undefined) return []
  return advice(`declines.${reason}`, instruction, async () => {
    const { code, path, transaction, returns, readStatus } = await confirmingCode(world)
    endConfirmation(transaction, 'declined', reason === 'other' ? 'do_not_honor' : reason)
    await returns()
    await world.deps.inProgress.settled()
    const advised = async () => {
      await world.pay(code)
      return readStatus()
    }
    return { shown: await world.payer.get(path), advised }
  })
})

const payment_method = 'CREDIT_CARD'

/** The forms of a code that are rejected. */
const ofForms = [
  advice('notices.failed.text', 'Please try again', async () => {
    const { code, pay } = await newCode()
    return {
      shown: await world.payer.form(payPagePath(code), { nonce: await world.nonce(code) }),
      advised: () => pay(),
    }
  }),
  advice('notices.stale.title', 'Please try again', async () => {
    const { tenant, code, pay } = await newCode()
    const nonce = await world.nonce(code)
    await tenant.patch(`${codesPath}/${code.id}`, { return_url: 'https://shop.example.com/' }).expect(200)
    const shown = await world.payer.form(payPagePath(code), { nonce, cc_token: 'tok_visa', payment_method })
    return { shown, advised: () => pay() }
  }),
  advice('notices.overloaded.title', 'Please try again in a few seconds', async () => {
    const { tenant, code, pay } = await newCode()
    const permits = Array.from({ length: 64 }, () => world.deps.inProgress.tryAcquire(tenant.id))
    const nonce = await world.nonce(code)
    const shown = await world.payer.form(payPagePath(code), { nonce, cc_token: 'tok_visa', payment_method })
    for (const permit of permits) permit?.release()
    return { shown, advised: () => pay() }
  }),
  advice('notices.unknown_token.title', 'Please try again', async () => {
    const { code, pay, show } = await newCode()
    await world.pay(code, 'tok_unknown_token')
    return { shown: await show(), advised: () => pay() }
  }),
  advice('notices.too_many.text', 'Wait a minute, then try again', async () => {
    const { code, pay } = await newCode()
    for (let i = 0; i < 5; i += 1) await world.pay(code, 'tok_unknown_token')
    const shown = await world.pay(code)
    const advised = async () => {
      await world.age(code.id, 61)
      return pay()
    }
    return { shown, advised }
  }),
]

const ofConfirmation = (['confirming.heading', 'confirming.until', 'confirming.continue'] as const).map((page) => {
  const instructions = {
    'confirming.heading': en.payPage.confirming.heading,
    'confirming.until': 'Confirm by',
    'confirming.continue': en.payPage.confirming.continue,
  }
  return advice(page, instructions[page], async () => {
    const { path, transaction, returns, readStatus } = await confirmingCode(world)
    const shown = await world.payer.get(path)
    const advised = async () => {
      endConfirmation(transaction, 'succeeded', '')
      await returns()
      await world.deps.inProgress.settled()
      return [shown.text.includes(`href="${bankUrl}"`), await readStatus()]
    }
    return { shown, advised, leadsTo: [true, 'completed'] }
  })
})

/** A link that has ended, and a new one for its transaction. */
const ofEnded = (
  page: string,
  instruction: string,
  end: (given: Awaited<ReturnType<typeof newCode>>) => Promise<unknown>,
) =>
  advice(page, instruction, async () => {
    const given = await newCode()
    const { tenant, code, pay, show } = given
    await end(given)
    const advised = async () => pay((await tenant.createAgain(code.transaction_id).expect(201)).body)
    return { shown: await show(), advised }
  })

const ofLinks = [
  ofEnded('expired.text', 'for a new link', ({ code }) => world.age(code.id, 24 * 3_600)),
  ofEnded('canceled.text', 'if you expected to pay', ({ tenant, code }) =>
    tenant.post(`${codesPath}/${code.id}/cancel`).expect(200),
  ),
  ofEnded('canceled.text', 'if you expected to pay', async ({ code }) => {
    await world.rows('UPDATE codes SET decline_count = 9 WHERE id = $1::uuid', code.id)
    await world.pay(code, 'tok_declined')
  }),
  advice('test.text', 'for a new link', async () => {
    const { code } = await newCode()
    const payer = world.payerAt(createApp({ ...world.deps, acceptsTestMode: false }))
    const iframe_url = 'https://cards.example.com/'
    const advised = async () => {
      const live = world.tenant({}, { orchestrators: [{ payment_gateway: 'stripe', iframe_url, mode: 'live' }] })
      return (await payer.get(payPagePath(await live.create()))).text.includes('<iframe')
    }
    return { shown: await payer.get(payPagePath(code)), advised, leadsTo: true }
  }),
  advice('unknown.text', 'Check that you opened the whole link from the message', async () => {
    const { code, pay } = await newCode()
    const advised = async () => [(await world.payer.get(payPagePath(code))).status, await pay()]
    return { shown: await world.payer.get(payPagePath(code).slice(0, -1)), advised, leadsTo: [200, 'completed'] }
  }),
  advice('unknown.text', 'contact the sender for a new link', async () => {
    const { tenant, code, pay } = await newCode()
    const advised = async () => pay(await tenant.reveal(code.id))
    return { shown: await world.payer.get(`/pay/${randomUUID()}`), advised }
  }),
  ...(['unavailable.text', 'tryAgain'] as const).map((page) =>
    advice(page, page === 'tryAgain' ? 'Try again' : 'Try again in a few minutes', async () => {
      const { code, pay, show } = await newCode()
      Object.assign(world.rbac.state, { isDown: true })
      const shown = await show()
      const advised = async () => {
        Object.assign(world.rbac.state, { isDown: false })
        return [shown.text.includes(`href="${payPagePath(code)}"`), await pay()]
      }
      return { shown, advised, leadsTo: [true, 'completed'] }
    }),
  ),
]

/** Names of parts of the page, and the forms that a test with a browser submits. */
const labels = /^(language|titles|sandbox|pay(Title|By)|item|amount|purpose|reference|greeting)/

const { pay: _pay, ...ofCardPage } = en.cardPage
const cardTexts = Object.entries(ofCardPage).map(
  ([name, text]) => [`cardPage.${name}`, typeof text === 'string' ? text : `${text.heading}. ${text.text}`] as const,
)

pageAdviceSuite(
  new Map([...[...textsIn(en.payPage)].filter(([key]) => !labels.test(key)), ...cardTexts]),
  [...ofDeclines, ...ofForms, ...ofConfirmation, ...ofLinks],
  followedElsewhere,
  withoutAdvice,
)
