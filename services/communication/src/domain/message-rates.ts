/** Messages at once; beyond them, one each period divided by the number. */
export interface MessageRates {
  readonly perTenantAndMinute: number
  readonly perTenantRecipientAndHour: number
  /** Of all tenants together. */
  readonly perRecipientAndHour: number
}
