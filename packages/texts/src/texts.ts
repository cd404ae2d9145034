import { en } from './en.ts'

/** The texts of a language: those of English, which has the comments. */
export type Texts = typeof en
export type PayPageTexts = Texts['payPage']
export type MessageTexts = Texts['messages']

type DeclineText = keyof PayPageTexts['declines']

export const explainedDeclines = (Object.keys(en.payPage.declines) as DeclineText[]).filter((code) => code !== 'other')

type TestMethod = keyof PayPageTexts['sandbox']['methods']

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
} as const satisfies Readonly<Record<TestGroup, readonly TestMethod[]>>

export type TestGroup = keyof PayPageTexts['sandbox']['groups']
