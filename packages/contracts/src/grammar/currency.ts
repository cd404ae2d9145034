import { z } from 'zod'

/**
 * ISO 4217 codes by the number of digits of their minor unit. A code that ISO 4217 withdraws stays, and gets a last
 * day: its transactions can still be read, captured, refunded and voided.
 */
const codesByExponent: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW
    CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS
    INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN
    NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC
    SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`,
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
}

const exponents: ReadonlyMap<string, number> = new Map(
  Object.entries(codesByExponent).flatMap(([exponent, codes]) =>
    codes.split(/\s+/).map((code): [string, number] => [code, Number(exponent)]),
  ),
)

export function isCurrency(code: string): boolean {
  return exponents.has(code)
}

/** Withdrawn currencies, with the last day (in UTC) of new payments. BGN: Bulgaria joined the euro. */
const lastDays: ReadonlyMap<string, string> = new Map([['BGN', '2025-12-31']])

/** The last day of a currency that has ended at the instant. Undefined: it is in circulation. */
export function endOfCurrency(code: string, at: Date): string | undefined {
  const lastDay = lastDays.get(code)
  return lastDay !== undefined && at.toISOString().slice(0, 10) > lastDay ? lastDay : undefined
}

export const currencyCode = z
  .string()
  .refine(isCurrency, 'must be an ISO 4217 code, for example EUR')
  .meta({
    id: 'Currency',
    description:
      'ISO 4217 code of a currency. From the day after the last day in `x-last-days`, nothing new can have the currency. Amounts are in minor units, of which two digits are a unit of the currency, unless `x-minor-unit-digits` has another number.',
    'x-minor-unit-digits': Object.fromEntries([...exponents].filter(([, digits]) => digits !== 2)),
    'x-last-days': Object.fromEntries(lastDays),
    enum: [...exponents.keys()].sort(),
    examples: ['EUR', 'USD', 'JPY', 'KWD'],
  })

/** Minor units as a decimal: 1999 of EUR is "19.99", of JPY "1999", of KWD "1.999". */
export function decimalAmount(amount: number, currency: string): string {
  const exponent = exponents.get(currency)
  if (exponent === undefined) throw new Error(`${currency} is not a currency`)
  const sign = amount < 0 ? '-' : ''
  const digits = String(Math.abs(amount)).padStart(exponent + 1, '0')
  return exponent === 0 ? sign + digits : `${sign}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`
}

/** Formats minor units: 1999 of EUR is "19.99 EUR". The currency that a provider reports may be any text. */
export function formatAmount(amount: number, currency: string): string {
  return isCurrency(currency)
    ? `${decimalAmount(amount, currency)} ${currency}`
    : `${amount} minor units of ${currency}`
}
