/** Maximum reveals of one actor in the time window, rejected attempts included. */
export const revealLimit = { attemptsMax: 5, windowSeconds: 60 } as const
