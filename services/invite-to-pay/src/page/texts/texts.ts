import type { Html } from '@payments/chassis/base/html'
import type { Notice, PayPage } from '../model.ts'

/**
 * The texts of the pay page in one language. Each text is a whole sentence, label or title: none is put together from
 * parts of a sentence. Parameters are HTML that the page has escaped, or text that the page escapes with the sentence.
 * Names stay as they are: a sentence must not need another form of a name.
 */
export interface Texts {
  /** BCP 47, for the attribute `lang`. */
  readonly tag: string
  readonly direction: 'ltr' | 'rtl'
  /** The name of the language in itself. */
  readonly name: string
  /** The reader of the language who has approved the texts. Null: no reader has yet. */
  readonly approvedBy: string | null
  /** Label of the choice of a language. */
  readonly language: string
  /** Titles of the document. */
  readonly titles: Readonly<Record<PayPage['state'], string>>
  readonly payTitle: (amount: string, merchant: string) => string
  readonly amountToPay: string
  /** `zone` is the name of the time zone, in parentheses. */
  readonly payBy: (time: Html, zone: Html) => Html
  readonly greeting: (payer: Html, merchant: Html) => Html
  readonly items: string
  readonly itemCount: (count: number) => string
  readonly amount: string
  readonly purpose: string
  readonly reference: string
  readonly referenceLine: (reference: Html) => Html
  readonly questions: (address: Html) => Html
  readonly confirming: Confirmation
  readonly processing: Progress
  readonly completed: Message<string>
  readonly expired: Message<MerchantText>
  readonly canceled: Message<MerchantText>
  readonly test: Message<MerchantText>
  readonly unknown: Message<string>
  readonly unavailable: Message<string>
  readonly tryAgain: string
  readonly returnTo: MerchantText
  readonly notices: Readonly<Record<Exclude<Notice['kind'], 'declined'>, NoticeText>>
  readonly declined: string
  readonly notCharged: string
  readonly declines: Readonly<Record<DeclineText, string>>
  readonly card: CardTexts
  readonly sandbox: SandboxTexts
}

type MerchantText = (merchant: Html) => Html

interface Message<Text> {
  readonly heading: string
  readonly text: Text
}

interface Confirmation extends Message<MerchantText> {
  /** When the page does not update itself any more. The other texts stay. */
  readonly stopped: string
  readonly until: (time: Html) => Html
  /** The link to the bank. */
  readonly continue: string
  /** The button that cancels the payment, to show its form again. */
  readonly another: string
}

interface Progress extends Message<MerchantText> {
  /** When the state has changed, until the page of the other state is shown. */
  readonly changed: string
  /** When the page does not update itself any more. */
  readonly stopped: string
  readonly checkAgain: string
}

interface NoticeText {
  readonly title: string
  readonly text: string
}

/** The declines that the page explains. `other` is also that of a stolen card and of a suspicion of fraud. */
export const explainedDeclines = [
  'insufficient_funds',
  'amount_limit_exceeded',
  'expired_card',
  'incorrect_cvc',
  'incorrect_number',
  'token_invalid',
  'authentication_required',
  'authentication_failed',
  'authentication_expired',
  'authentication_canceled',
  'issuer_unavailable',
  'processing_error',
  'transaction_not_permitted',
  'currency_not_supported',
] as const

type DeclineText = (typeof explainedDeclines)[number] | 'other'

interface CardTexts {
  readonly heading: string
  readonly scriptNeeded: string
  readonly sending: string
  readonly unavailable: string
  readonly untrusted: (host: Html) => Html
  readonly trusted: MerchantText
}

/** The tokens of the sandbox that a payer may meet beside the approved one, the most usual first. */
export const testMethods = {
  approved: ['mastercard', 'amex', 'ach'],
  confirmed: ['challenge', 'challenge_slow_10', 'challenge_declined', 'challenge_abandoned'],
  declined: [
    'declined',
    'insufficient_funds',
    'expired_card',
    'incorrect_cvc',
    'do_not_honor',
    'lost_or_stolen',
    'suspected_fraud',
    'issuer_unavailable',
    'processing_error',
  ],
  uncertain: ['slow_5000', 'pending', 'timeout_applied', 'timeout_not_applied', 'unknown_forever', 'unreachable'],
} as const

export type TestGroup = keyof typeof testMethods
type TestMethod = (typeof testMethods)[TestGroup][number]

interface SandboxTexts {
  readonly heading: string
  readonly note: string
  readonly pay: (amount: string) => string
  readonly others: string
  readonly groups: Readonly<Record<TestGroup, string>>
  readonly methods: Readonly<Record<TestMethod, string>>
}
