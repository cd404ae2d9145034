/** Arguments of a list, as the URL of the console has them. */
export type Filters = Readonly<Record<string, string>>
