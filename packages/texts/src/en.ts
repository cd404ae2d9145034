import { type Html, html } from '@payments/chassis/base/html'
import { createCountFormat, type Plural } from './plural.ts'

/** A title and a sentence. */
const problem = (title: string, sentence: string): readonly [title: string, sentence: string] => [title, sentence]

/**
 * The texts that payers read. Each text is a whole sentence, label or title: none is put together from parts of a
 * sentence. Names stay as they are: a sentence must not need another form of a name. Parameters are HTML that the page
 * has escaped, or text that the page escapes with the sentence.
 */
export const en = {
  /** BCP 47, for the attribute `lang`. */
  tag: 'en',
  /** The name of the language in itself. */
  name: 'English',
  direction: 'ltr' as 'ltr' | 'rtl',
  /** The reader of the language who has approved the texts. Null: no reader has yet. */
  approvedBy: 'maintainers' as string | null,
  payPage: {
    /** Label of the choice of a language. */
    language: 'Language',
    /** Titles of the document. */
    titles: {
      active: 'Payment',
      confirming: 'Confirm the payment',
      processing: 'Payment in progress',
      completed: 'Payment complete',
      expired: 'Link expired',
      canceled: 'Link canceled',
      test: 'Link for tests',
      unknown: 'Link not found',
      unavailable: 'Page not available',
    },
    payTitle: (amount: string, merchant: string) => `Pay ${amount} to ${merchant}`,
    amountToPay: 'Amount to pay',
    /** `zone` is the name of the time zone, in parentheses. */
    payBy: (time: Html, zone: Html) => html`Pay by ${time} ${zone}`,
    greeting: (payer: Html, merchant: Html) => html`Hello ${payer}, ${merchant} requests this payment.`,
    items: 'Items',
    itemCount: createCountFormat('en', { one: 'item', other: 'items' }),
    amount: 'Amount',
    purpose: 'Purpose',
    reference: 'Reference',
    referenceLine: (reference: Html) => html`Reference: ${reference}`,
    questions: (address: Html) => html`Questions? ${address}`,
    confirming: {
      heading: 'Confirm the payment at your bank',
      text: (merchant: Html) =>
        html`Your bank wants you to confirm this payment to ${merchant}. You return to this page afterwards.`,
      until: (time: Html) => html`Confirm by ${time}. After that, the payment is canceled.`,
      /** When the page does not update itself any more. The other texts stay. */
      stopped: 'This page does not update itself any more.',
      /** The link to the bank. */
      continue: 'Continue to your bank',
      /** The button that cancels the payment, to show its form again. */
      another: 'Pay in another way',
    },
    processing: {
      heading: 'Your payment is in progress',
      text: (merchant: Html) =>
        html`This page updates itself. You can close it: the payment continues, and ${merchant} is notified of the outcome.`,
      /** When the state has changed, until the page of the other state is shown. */
      changed: 'The payment has changed. The page is loading.',
      /** When the page does not update itself any more. */
      stopped: 'The payment is still in progress. This page does not update itself any more. Check again later.',
      checkAgain: 'Check again',
    },
    completed: { heading: 'Payment complete', text: 'Thank you. You can close this page.' },
    expired: {
      heading: 'This link has expired',
      text: (merchant: Html) => html`Nothing can be paid with it. Contact ${merchant} for a new link.`,
    },
    canceled: {
      heading: 'This link was canceled',
      text: (merchant: Html) => html`Nothing can be paid with it. Contact ${merchant} if you expected to pay.`,
    },
    test: {
      heading: 'This link is for tests',
      text: (merchant: Html) =>
        html`A payment with it would move no money, so nothing can be paid with it. Contact ${merchant} for a new link.`,
    },
    unknown: {
      heading: 'This link does not work',
      text: 'Check that you opened the whole link from the message. If you did, contact the sender for a new link.',
    },
    unavailable: {
      heading: 'This page is not available at the moment',
      text: 'Your link stays valid. Try again in a few minutes.',
    },
    tryAgain: 'Try again',
    returnTo: (merchant: Html) => html`Return to ${merchant}`,
    notices: {
      failed: {
        title: 'Payment not started',
        text: 'The payment could not be started. You have not been charged. Please try again.',
      },
      stale: { title: 'Please try again', text: 'This page was no longer up to date, so nothing was submitted.' },
      overloaded: {
        title: 'Please try again in a few seconds',
        text: 'Many payments are in progress at the moment, so yours was not started. You have not been charged.',
      },
      not_canceled: {
        title: 'Payment not canceled',
        text: 'The payment was not canceled. Try again in a few seconds.',
      },
      busy: { title: 'Please wait', text: 'Another payment with this link is in progress.' },
      unknown_token: {
        title: 'Please try again',
        text: 'The card details were not recognized. You have not been charged.',
      },
      too_many: { title: 'Too many attempts', text: 'Wait a minute, then try again.' },
    },
    declined: 'Payment declined',
    notCharged: 'You have not been charged.',
    /** The declines that the page explains. `other` includes a stolen card and a suspicion of fraud. */
    declines: {
      insufficient_funds: 'The account has too little money for this payment. Use another card or account.',
      amount_limit_exceeded: 'The amount is above a limit of the card. Use another card, or contact your bank.',
      expired_card: 'The card has expired. Use another card.',
      incorrect_cvc: 'The security code is not correct. Check the card details and try again.',
      incorrect_number: 'The card number is not correct. Check the card details and try again.',
      token_invalid: 'The card details could not be used. Enter the card details again.',
      authentication_required: 'Your bank wants a confirmation that is not possible here. Use another card.',
      authentication_failed: 'The payment was not confirmed at your bank. Try again, or use another card.',
      authentication_expired: 'The payment was not confirmed in time. Try again.',
      authentication_canceled: 'The payment was canceled before it was confirmed.',
      issuer_unavailable: 'Your bank does not respond at the moment. Try again in a few minutes.',
      processing_error: 'Something went wrong at the payment provider. Try again in a few minutes.',
      transaction_not_permitted: 'The card cannot be used for this payment. Use another card.',
      currency_not_supported: 'The card cannot be used in this currency. Use another card.',
      other: 'Your bank did not approve the payment. Use another card, or contact your bank.',
    },
    card: {
      heading: 'Card details',
      scriptNeeded: 'Card entry needs JavaScript. Switch it on for this page, and load the page again.',
      sending: 'Sending your payment…',
      unavailable: 'Card entry is not available at the moment.',
      untrusted: (host: Html) => html`The card form is a page of ${host}.`,
      trusted: (merchant: Html) =>
        html`Your card details go to the payment provider over an encrypted connection. ${merchant} does not see them.`,
    },
    sandbox: {
      heading: 'Test payment',
      note: 'This is a test. No money moves.',
      pay: (amount: string) => `Pay ${amount} with a test card`,
      others: 'Other test cards',
      groups: {
        approved: 'Approved',
        confirmed: 'Confirmed at the bank',
        declined: 'Declined',
        uncertain: 'Slow or uncertain',
      },
      methods: {
        mastercard: 'Mastercard, approved',
        amex: 'American Express card, approved',
        ach: 'Bank account, approved',
        challenge: 'Card, to be confirmed at the bank',
        challenge_slow_10: 'Card, approved 10 seconds after the confirmation',
        challenge_declined: 'Card, declined by the bank after the confirmation',
        challenge_abandoned: 'Card whose bank never responds',
        declined: 'Card, declined',
        insufficient_funds: 'Card, declined: insufficient funds',
        expired_card: 'Card, declined: expired',
        incorrect_cvc: 'Card, declined: incorrect security code',
        do_not_honor: 'Card, declined: not honored by the bank',
        lost_or_stolen: 'Card, declined: lost or stolen',
        suspected_fraud: 'Card, declined: suspected fraud',
        issuer_unavailable: 'Card, declined: bank unavailable',
        processing_error: 'Card, declined: processing error',
        slow_5000: 'Card, approved after 5 seconds',
        pending: 'Card, pending and then approved',
        timeout_applied: 'Card, approved, and the response is lost',
        timeout_not_applied: 'Card, not charged, and the response is lost',
        unknown_forever: 'Card, whose outcome stays unknown',
        unreachable: 'Card, whose payment provider cannot be reached',
      },
    },
  },
  /** Texts of the card page beside the labels and errors of the fields, which are texts of Stripe. */
  cardPage: {
    title: 'Card details',
    loading: 'The card fields are loading…',
    pay: (amount: string) => `Pay ${amount}`,
    working: 'Please wait…',
    /** The card details could not be checked: the payer can try again. */
    failed: 'The card details could not be checked. You have not been charged. Please try again.',
    notLoaded: {
      heading: 'The card fields could not be loaded',
      text: 'Check your connection, and whether a blocker stops scripts on this page.',
    },
    tryAgain: 'Try again',
    /** The page is not in a frame of the pay page, or its ticket is no longer valid. */
    notHere: { heading: 'Nothing can be paid here', text: 'Open the link from your message again.' },
  },
  /** Texts of a page in place of a page for payers that cannot be shown. */
  problemPage: {
    unreadable: problem('The request cannot be read', 'Open the link again, as it was sent to you.'),
    missing: problem('There is no such page', 'Check that the link is complete.'),
    late: problem('The request was not received in time', 'Open the link again: the page shows your payment.'),
    limited: problem('Too many requests', 'Open the link again in a few minutes.'),
    unavailable: problem('The page is not available', 'Open the link again in a minute: the page shows your payment.'),
    /** Stands before the number of the request. */
    support: 'For support, send this number:',
  },
  /**
   * Texts of built-in messages. Values are put into `{{variable}}`. A sentence begins with a capital, also after the
   * greeting.
   */
  messages: {
    /** The first line, for a payer with a name and for one without. */
    greeting: { named: 'Hello {{payer_name}},', unnamed: 'Hello,' },
    invitation: {
      subject: '{{short_name}} requests a payment of {{amount}}',
      request: '{{business_unit_name}} requests a payment of {{amount}}.',
      sms: '{{business_unit_name}} requests a payment of {{amount}}: {{payment_url}}',
    },
    reminder: {
      subject: 'Reminder: {{short_name}} requests a payment of {{amount}}',
      request: 'This is a reminder: {{business_unit_name}} requests a payment of {{amount}}.',
      sms: 'Reminder: {{business_unit_name}} requests a payment of {{amount}}: {{payment_url}}',
    },
    receipt: {
      subject: 'Receipt from {{short_name}} for {{amount}}',
      thanks: 'Thank you. {{business_unit_name}} received your payment of {{amount}}.',
      sms: '{{business_unit_name}} received your payment of {{amount}}. Thank you.',
    },
    /** In place of `receipt` where the payment is authorized and not captured. */
    authorization: {
      subject: 'Authorized payment of {{amount}} to {{short_name}}',
      thanks:
        'Thank you. Your payment of {{amount}} to {{business_unit_name}} is authorized. The amount is reserved, and not charged yet.',
      sms: 'Your payment of {{amount}} to {{business_unit_name}} is authorized. The amount is reserved, and not charged yet.',
    },
    /** Of `{{expires_on}}`, which may be a day, or a minute with its time zone. */
    payBy: 'Please pay by {{expires_on}}.',
    /** Text of the button, and the line in its place in plain text. */
    pay: { button: 'Pay {{amount}}', line: 'Pay {{amount}}: {{payment_url}}' },
    /** A label and its value, or an item and its sum, in one line of plain text. HTML has them side by side. */
    fact: '{{label}}: {{value}}',
    labels: { purpose: 'For', amount: 'Amount', date: 'Date', paidWith: 'Paid with', reference: 'Reference' },
    /** The value of `paidWith`: with the card brand, and without. */
    paidWith: { brandAndDigits: '{{brand}} ending in {{last4}}', digits: 'Number ending in {{last4}}' },
    /** An item without its sum. */
    item: '{{quantity}} × {{name}}',
    /** The last line of a list of items that is longer than a message shows, by the plural form of `{{count}}`. */
    moreItems: { one: '{{count}} more item', other: '{{count}} more items' } as Plural,
    support: 'Questions? Write to {{support_email}}.',
    userInvitation: {
      subject: 'Invitation to {{short_name}}',
      invited: 'You are invited to become a user of {{tenant_name}}.',
      /** In place of `invited` where a person invites. */
      invitedBy:
        '{{inviter}} invites you to become a user of {{tenant_name}}, which manages its payments in Payment Service.',
      roles: 'Your roles: {{role_names}}.',
      expiry: 'The link works once, until {{expires_on}}. To accept, sign in with this email address.',
      button: 'Accept the invitation',
      line: 'Accept the invitation: {{url}}',
      ignore: 'If you do not know why you received this mail, ignore it: nothing happens.',
    },
  },
}
