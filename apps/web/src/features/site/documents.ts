/** A document of the public pages. */
export interface SiteDocument {
  title: string
  intro: string
  sections: readonly { title: string; text: readonly string[] }[]
}
