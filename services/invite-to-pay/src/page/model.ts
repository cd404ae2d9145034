import type { PayPageTexts } from '@payments/texts/texts'
import type { Item } from '../domain/code.ts'

export interface PayPage {
  /** Path of the page of the code: this page may be below it. Empty for an unknown code: all have the same page. */
  readonly path: string
  /** `path`, with the locale that the payer chose. */
  readonly address: string
  /** The version of the code. Null for an unknown one. */
  readonly version: number | null
  /** A language of the page, with a region if any, for texts and formats. */
  readonly locale: string
  readonly state: keyof PayPageTexts['titles']
  /** Null for an unknown code, and for no other. */
  readonly merchant: Merchant | null
  /** Null unless active, confirming, processing or completed. */
  readonly payment: Payment | null
  /** Null unless active. */
  readonly form: PaymentForm | null
  /** Null unless confirming. */
  readonly confirmation: ConfirmationForm | null
  readonly notice: Notice | null
  readonly returnUrl: string | null
}

export interface Merchant {
  readonly name: string
  readonly logoUrl: string | null
  /** `#rrggbb`. */
  readonly primaryColor: string | null
  readonly supportEmail: string | null
}

export interface Payment {
  /** In minor units. */
  readonly amount: number
  readonly currency: string
  readonly items: readonly Item[]
  readonly description: string | null
  readonly payerName: string | null
  readonly expiresAt: Date
  /** IANA name. */
  readonly timezone: string
  readonly reference: string
}

export interface PaymentForm {
  readonly action: string
  readonly nonce: string
  readonly entry:
    | { readonly kind: 'sandbox' }
    | {
        readonly kind: 'frame'
        readonly url: string
        readonly isTrusted: boolean
        /** Whether it is the card page of the platform, which posts its height once it runs. */
        readonly isOurs: boolean
      }
}

/** The link to the bank, and the form that cancels the payment. */
interface ConfirmationForm {
  /** Page of the bank. */
  readonly url: string
  /** When the payment is canceled without a confirmation. */
  readonly expiresAt: Date
  /** IANA name. */
  readonly timeZone: string
  /** Whether the page redirects to the bank, where JavaScript runs. */
  readonly redirects: boolean
  readonly cancelAction: string
  readonly nonce: string
}

export type Notice =
  | { readonly kind: 'declined'; readonly declineCode: string | null }
  | { readonly kind: keyof PayPageTexts['notices'] }
