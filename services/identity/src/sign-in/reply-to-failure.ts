import type { Browser, PublicCaller } from '@payments/chassis/base/caller'
import type { PageReply } from '@payments/contracts/grammar/contract'
import type { Deps } from '../deps.ts'
import { SignInFailed, type SignInFailure } from '../domain/sign-in-failure.ts'
import { failurePage } from '../pages/failure.ts'
import { renderPage } from '../pages/page.ts'
import type { RetryTarget } from '../pages/paths.ts'
import { requireBrowser } from './browser.ts'

/** A step of a sign-in, as far as it is known when it fails. */
export interface FailedStep {
  readonly operation: string
  /** The parameters of the repeated sign-in. */
  target?: RetryTarget
  providerId?: string | null
}

const retryAfterSeconds: Partial<Record<SignInFailure, number>> = {
  provider_unavailable: 60,
  unavailable: 60,
}

/** The page of a failure, and its line in the log, without email address and token. */
function replyToFailure(
  { environment, log }: Pick<Deps, 'environment' | 'log'>,
  { failure, detail }: SignInFailed,
  { operation, traceId, target = {}, providerId = null }: FailedStep & { readonly traceId: string },
): PageReply {
  log.warn({ trace_id: traceId, operation, reason: failure, provider_id: providerId, detail }, 'sign-in rejected')
  const retry = retryAfterSeconds[failure]
  return {
    ...renderPage(environment, failurePage(failure, target)),
    ...(retry === undefined ? {} : { retryAfterSeconds: retry }),
  }
}

/** Runs a step of a sign-in in a browser. A failure becomes its page; every other error is a defect. */
export async function withFailurePage(
  deps: Pick<Deps, 'environment' | 'log'>,
  caller: PublicCaller,
  step: FailedStep,
  work: (browser: Browser) => Promise<PageReply>,
): Promise<PageReply> {
  try {
    return await work(requireBrowser(caller))
  } catch (error) {
    if (error instanceof SignInFailed) return replyToFailure(deps, error, { ...step, traceId: caller.traceId })
    throw error
  }
}
