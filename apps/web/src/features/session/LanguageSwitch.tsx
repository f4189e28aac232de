// The switch of the sign-in page. Loaded after the form, like what it stands below.
import { languages, saveLanguage } from '@voltkeep/contract/languages'
import { useEffect } from 'react'
import { keepLanguage, languageNames, nextLanguage, pageLanguage } from '../../lib/browser/language.ts'
import { readToken } from '../../lib/session.ts'
import { call } from '../../lib/wire/call.ts'
import styles from './LoginPage.module.css'

/** Chosen here and not by an earlier user of the browser: until the tab is closed, or somebody has signed in. */
const chosenKey = 'voltkeep_language_chosen'
const [other = 'zh'] = languages.filter((each) => each !== pageLanguage)

export default function LanguageSwitch() {
  useEffect(() => () => void afterSignIn(), [])
  return (
    <p className={styles.links}>
      <button
        type="button"
        className="button"
        lang={other}
        onClick={() => {
          keepLanguage(other)
          sessionStorage.setItem(chosenKey, other)
          location.reload()
        }}
      >
        {languageNames[other]}
      </button>
    </p>
  )
}

/**
 * The server has named the user's language in the answer to the sign-in. What was chosen on this page becomes the
 * user's; otherwise the page follows the user.
 */
async function afterSignIn(): Promise<void> {
  if (!readToken()) return
  const chosen = sessionStorage.getItem(chosenKey)
  sessionStorage.removeItem(chosenKey)
  if (chosen === pageLanguage) {
    keepLanguage(pageLanguage)
    await call(saveLanguage, { language: pageLanguage }).catch(() => undefined)
  } else if (nextLanguage() !== pageLanguage) location.reload()
}
