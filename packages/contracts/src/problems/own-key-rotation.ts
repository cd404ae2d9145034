import { defineProblems } from '../grammar/problem.ts'

/** In which an API key that rotated itself reads its new value again, after a lost response. */
export const ownGraceSecondsMin = 60

export const ownRotationProblems = defineProblems({
  grace_period_too_short: {
    status: 422,
    title: 'The grace period is too short for the API key of the request',
    explanation:
      'An API key that rotates itself keeps its previous value for at least 60 seconds. Otherwise a lost response would lock it out, because the new value was in that response. Send 60 or more, or nothing. To end a leaked value at once, rotate again with the new value: an API key has at most two working values.',
  },
})
