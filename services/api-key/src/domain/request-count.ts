/** Requests of a subject that one gateway replica admitted. */
export interface RequestCount {
  readonly subject: string
  /** The time in which the bucket of the subject regains the tokens of these requests. */
  readonly seconds: number
}

export const toRequestCount = (reported: { subject: string; requests: number; per_second: number }): RequestCount => ({
  subject: reported.subject,
  seconds: reported.requests / reported.per_second,
})
