import type { PageAdviceElsewhere } from '@payments/testing/suites/page-advice'

const files = {
  browser: 'services/invite-to-pay/test/pay-page-browser.test.ts',
  cardPage: 'services/invite-to-pay/test/card-page-browser.test.ts',
  cancel: 'services/invite-to-pay/test/cancel-confirmation.test.ts',
  pay: 'services/invite-to-pay/test/pay-code.test.ts',
} as const

const at = (
  file: keyof typeof files,
  test: string,
  page: string,
  advice: string,
  shows: string = advice,
): PageAdviceElsewhere => ({ page, advice, file: files[file], test, shows })

const [stops, scriptOff] = ['and then offers to check again', 'requests JavaScript where the card page needs it']
const [silent, notHere] = ['a card page that does not load is not available', 'outside of a frame it loads nothing']

/** The instructions that tests of other files follow. */
export const followedElsewhere: readonly PageAdviceElsewhere[] = [
  at('cancel', 'on which the payer pays in another way', 'confirming.another', 'Pay in another way', 'in another way'),
  at('cancel', 'the payment waits for the payer', 'notices.not_canceled.text', 'Try again in a few seconds'),
  at('browser', stops, 'processing.stopped', 'Check again later', 'does not update itself any more'),
  at('browser', stops, 'processing.checkAgain', 'Check again'),
  at('pay', 'says that one is in progress', 'notices.busy.title', 'Please wait'),
  at('browser', scriptOff, 'card.scriptNeeded', 'Switch it on for this page', 'Card entry needs JavaScript'),
  at('cardPage', silent, 'card.unavailable', 'Card entry is not available'),
  at('cardPage', 'lets the payer try again', 'cardPage.failed', 'Please try again', 'could not be checked'),
  at('cardPage', 'and loads again on request', 'cardPage.notLoaded', 'Check your connection', 'could not be loaded'),
  at('cardPage', 'and loads again on request', 'cardPage.tryAgain', 'Try again'),
  at('browser', 'leads back to the merchant', 'returnTo', 'Return to'),
  at('cardPage', 'disables the button while Stripe works', 'cardPage.working', 'Please wait'),
  at('cardPage', notHere, 'cardPage.notHere', 'Open the link from your message again', 'Nothing can be paid'),
]

/** The texts that instruct no payer. */
export const withoutAdvice: readonly string[] = [
  'questions',
  'confirming.text',
  'confirming.stopped',
  'processing.heading',
  'processing.text',
  'processing.changed',
  'completed.heading',
  'completed.text',
  'expired.heading',
  'canceled.heading',
  'test.heading',
  'unknown.heading',
  'unavailable.heading',
  'notices.failed.title',
  'notices.stale.text',
  'notices.overloaded.text',
  'notices.not_canceled.title',
  'notices.busy.text',
  'notices.unknown_token.text',
  'notices.too_many.title',
  'declined',
  'notCharged',
  'declines.authentication_canceled',
  'card.heading',
  'card.sending',
  'card.untrusted',
  'card.trusted',
  'cardPage.title',
  'cardPage.loading',
]
