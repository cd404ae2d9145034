import type { Notice } from './model.ts'

interface NoticeText {
  readonly title: string
  readonly text: string
}

const notCharged = 'You have not been charged.'

const declined = 'Payment declined'
const declineOf: Readonly<Record<string, string>> = {
  insufficient_funds: 'The account has too little money for this payment. Use another card or account.',
  amount_limit_exceeded: 'The amount is above a limit of the card. Use another card, or contact your bank.',
  expired_card: 'The card has expired. Use another card.',
  incorrect_cvc: 'The security code is not correct. Check the card details and try again.',
  incorrect_number: 'The card number is not correct. Check the card details and try again.',
  token_invalid: 'The card details could not be used. Enter the card details again.',
  authentication_required: 'Your bank needs to know that it is you. Try again, and confirm the payment at your bank.',
  issuer_unavailable: 'Your bank does not respond at the moment. Try again in a few minutes.',
  processing_error: 'Something went wrong at the payment provider. Try again in a few minutes.',
  transaction_not_permitted: 'The card cannot be used for this payment. Use another card.',
  currency_not_supported: 'The card cannot be used in this currency. Use another card.',
}
/** Also for a stolen card or a suspicion of fraud, which the page does not reveal. */
const declineOfBank = 'Your bank did not approve the payment. Use another card, or contact your bank.'

const texts: Readonly<Record<Exclude<Notice['kind'], 'declined'>, NoticeText>> = {
  failed: { title: 'Payment not started', text: `The payment could not be started. ${notCharged} Please try again.` },
  stale: { title: 'Please try again', text: 'This page was no longer up to date, so nothing was submitted.' },
  overloaded: {
    title: 'Please try again in a few seconds',
    text: `Many payments are in progress at the moment, so yours was not started. ${notCharged}`,
  },
  busy: { title: 'Please wait', text: 'Another payment with this link is in progress.' },
  unknown_token: { title: 'Please try again', text: `The card details were not recognized. ${notCharged}` },
  too_many: { title: 'Too many attempts', text: 'Wait a minute, then try again.' },
}

export function noticeText(notice: Notice): NoticeText {
  if (notice.kind !== 'declined') return texts[notice.kind]
  const reason = Object.hasOwn(declineOf, notice.declineCode ?? '') ? declineOf[notice.declineCode ?? ''] : undefined
  return { title: declined, text: `${reason ?? declineOfBank} ${notCharged}` }
}
