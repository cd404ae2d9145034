/** The form in which email addresses are compared. */
export const emailKeyOf = (email: string): string => email.toLowerCase()
