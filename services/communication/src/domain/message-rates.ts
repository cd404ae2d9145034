/** Messages at once; beyond them, one each period divided by the number. */
export interface MessageRates {
  readonly perTenantAndMinute: number
  readonly perTenantRecipientAndHour: number
  /** Of each tenant, beyond which `perRecipientAndHour` counts its messages. 0: it counts each. */
  readonly shareOfTenantAndHour: number
  /** Of all tenants together. Receipts, and the shares of tenants, do not count. */
  readonly perRecipientAndHour: number
}
