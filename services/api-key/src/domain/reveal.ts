/** How often one actor may reveal, denied attempts counted. */
export const revealLimit = { attemptsMax: 5, windowSeconds: 60 } as const
