// The English of company.texts.ts.
import type { English } from '../../lib/texts/english.ts'
import type { companyTexts as Chinese } from './company.texts.ts'

export const companyTexts: English<typeof Chinese> = {
  or: 'or',
  by: (name) => `Sign in with ${name}`,
  going: 'Leaving…',
  finishing: 'Signing in…',
}
