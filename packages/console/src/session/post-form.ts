const timeoutMs = 30_000

/** Posts a form of the sign-in with the cookies of the browser. Resolves with the response of the page it leads to. */
export const postForm = (path: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(path, { method: 'POST', body: new URLSearchParams(fields), signal: AbortSignal.timeout(timeoutMs) })
