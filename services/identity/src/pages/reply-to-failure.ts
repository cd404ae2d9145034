import type { PageReply } from '@payments/contracts/grammar/contract'
import type { Deps } from '../deps.ts'
import { SignInFailed, type SignInFailure } from '../domain/sign-in-failure.ts'
import { failurePage } from './failure.ts'
import { renderPage } from './page.ts'
import type { RetryTarget } from './paths.ts'

interface FailedStep {
  readonly operation: string
  readonly traceId: string
  /** The parameters of the repeated sign-in. */
  readonly target?: RetryTarget
  readonly providerId?: string | null
}

const retryAfterSeconds: Partial<Record<SignInFailure, number>> = {
  provider_unavailable: 60,
  unavailable: 60,
}

/** The page of a failure, and its line in the log, without email address and token. */
function replyToFailure(
  { environment, log }: Pick<Deps, 'environment' | 'log'>,
  failed: SignInFailed,
  { operation, traceId, target = {}, providerId = null }: FailedStep,
): PageReply {
  const { failure, cause } = failed
  const detail = cause instanceof Error ? cause.message : null
  log.warn({ trace_id: traceId, operation, reason: failure, provider_id: providerId, detail }, 'sign-in rejected')
  const retry = retryAfterSeconds[failure]
  return {
    ...renderPage(environment, failurePage(failure, target)),
    ...(retry === undefined ? {} : { retryAfterSeconds: retry }),
  }
}

/** Runs a step of a sign-in. A failure becomes its page; every other error is a defect. */
export async function withFailurePage(
  deps: Pick<Deps, 'environment' | 'log'>,
  step: FailedStep,
  work: () => Promise<PageReply>,
): Promise<PageReply> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SignInFailed) return replyToFailure(deps, error, step)
    throw error
  }
}
