import type { Html } from '@payments/chassis/base/html'
import type { Plural } from './plural.ts'

/**
 * The texts that payers read, in one language. Each text is a whole sentence, label or title: none is put together
 * from parts of a sentence. Names stay as they are: a sentence must not need another form of a name.
 */
export interface Texts {
  /** BCP 47, for the attribute `lang`. */
  readonly tag: string
  /** The name of the language in itself. */
  readonly name: string
  readonly direction: 'ltr' | 'rtl'
  /** The reader of the language who has approved the texts. Null: no reader has yet. */
  readonly approvedBy: string | null
  readonly payPage: PayPageTexts
  readonly cardPage: CardPageTexts
  readonly problemPage: ProblemPageTexts
  readonly messages: MessageTexts
}

/** Parameters are HTML that the page has escaped, or text that the page escapes with the sentence. */
export interface PayPageTexts {
  /** Label of the choice of a language. */
  readonly language: string
  /** Titles of the document. */
  readonly titles: Readonly<Record<PageState, string>>
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
  readonly notices: Readonly<Record<NoticeKind, NoticeText>>
  readonly declined: string
  readonly notCharged: string
  readonly declines: Readonly<Record<DeclineText, string>>
  readonly card: CardEntryTexts
  readonly sandbox: SandboxTexts
}

type PageState =
  | 'active'
  | 'confirming'
  | 'processing'
  | 'completed'
  | 'expired'
  | 'canceled'
  | 'test'
  | 'unknown'
  | 'unavailable'

type NoticeKind = 'failed' | 'stale' | 'busy' | 'overloaded' | 'not_canceled' | 'unknown_token' | 'too_many'

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

/** The declines that the page explains. `other` includes a stolen card and a suspicion of fraud. */
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

interface CardEntryTexts {
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

/** Texts of the card page beside the labels and errors of the fields, which are texts of Stripe. */
interface CardPageTexts {
  readonly title: string
  readonly loading: string
  readonly pay: (amount: string) => string
  readonly working: string
  /** The card details could not be checked: the payer can try again. */
  readonly failed: string
  readonly notLoaded: Message<string>
  readonly tryAgain: string
  /** The page is not in a frame of the pay page, or its ticket is no longer valid. */
  readonly notHere: Message<string>
}

/** Texts of a page in place of a page for payers that cannot be shown. */
type ProblemPageTexts = Readonly<
  Record<'unreadable' | 'missing' | 'late' | 'limited' | 'unavailable', readonly [title: string, sentence: string]>
> & {
  /** Stands before the number of the request. */
  readonly support: string
}

/**
 * Texts of built-in messages. Values are put into `{{variable}}`. A sentence begins with a capital, also after the
 * greeting.
 */
export interface MessageTexts {
  /** The first line, for a payer with a name and for one without. */
  readonly greeting: { readonly named: string; readonly unnamed: string }
  readonly invitation: { readonly subject: string; readonly request: string; readonly sms: string }
  readonly reminder: { readonly subject: string; readonly request: string; readonly sms: string }
  readonly receipt: { readonly subject: string; readonly thanks: string; readonly sms: string }
  /** In place of `receipt` where the payment is authorized and not captured. */
  readonly authorization: { readonly subject: string; readonly thanks: string; readonly sms: string }
  /** Of `{{expires_on}}`, which may be a day, or a minute with its time zone. */
  readonly payBy: string
  /** Text of the button, and the line in its place in plain text. */
  readonly pay: { readonly button: string; readonly line: string }
  /** A label and its value, or an item and its sum, in one line of plain text. HTML has them side by side. */
  readonly fact: string
  readonly labels: Readonly<Record<'purpose' | 'amount' | 'date' | 'paidWith' | 'reference', string>>
  /** The value of `paidWith`: with the card brand, and without. */
  readonly paidWith: { readonly brandAndDigits: string; readonly digits: string }
  /** An item without its sum. */
  readonly item: string
  /** The last line of a list of items that is longer than a message shows, by the plural form of `{{count}}`. */
  readonly moreItems: Plural
  readonly support: string
  readonly userInvitation: {
    readonly subject: string
    readonly invited: string
    /** In place of `invited` where a person invites. */
    readonly invitedBy: string
    readonly roles: string
    readonly expiry: string
    readonly button: string
    readonly line: string
    readonly ignore: string
  }
}
