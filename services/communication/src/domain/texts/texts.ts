/**
 * The texts of built-in messages in one language. Each is a whole sentence, subject, label or line: values are put into
 * `{{variable}}`, and no text is a part of another one. A sentence begins with a capital, also after the greeting.
 */
export interface Texts {
  /** The reader of the language who has approved the texts. Null: no reader has yet. */
  readonly approvedBy: string | null
  readonly direction: 'ltr' | 'rtl'
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

/** Texts by the plural forms of a language (`Intl.PluralRules`). `other` stands in for a form without a text. */
type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }
