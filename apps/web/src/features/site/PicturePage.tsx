import { readSharedPicture, readSharedPictureFile } from '@voltkeep/contract/site'
import { useState } from 'react'
import { SitePage } from './SitePage.tsx'
import styles from './site.module.css'
import { siteTexts } from './site.texts.ts'
import { usePublicCall } from './usePublicCall.ts'

const words = siteTexts.picture

/** The picture and the signature from the address; null where they are missing. */
function askedFor() {
  const { id, by, expires, signature } = Object.fromEntries(new URLSearchParams(location.search))
  return id && expires && signature ? { id, expires, signature, ...(by && { by }) } : null
}

/** A shared picture. An unknown or expired address shows a message. */
export function PicturePage() {
  const [asked] = useState(askedFor)
  const { answer, error, retry } = usePublicCall(readSharedPicture, asked)
  const [isBroken, setBroken] = useState(false)
  if (answer && asked && !isBroken) {
    return (
      <SitePage title={answer.name}>
        <figure className={styles.picture}>
          <img
            src={`/api${readSharedPictureFile.path}?${new URLSearchParams(asked)}`}
            alt={answer.name}
            onError={() => setBroken(true)}
          />
          <figcaption>
            <h1>{answer.name}</h1>
            <p className={styles.quiet}>{words.until(answer.expiresTime)}</p>
          </figcaption>
        </figure>
      </SitePage>
    )
  }
  const isForGood = asked === null || (error !== undefined && error.code >= 400 && error.code < 500)
  return (
    <SitePage title={words.title}>
      <div className={styles.centre} role="status" aria-busy={asked !== null && !error && !isBroken}>
        {asked && !error && !isBroken ? (
          <>
            <h1>{words.title}</h1>
            <p className={styles.quiet}>{words.reading}</p>
          </>
        ) : (
          <>
            <h1>{asked === null ? words.none : (error?.message ?? words.broken)}</h1>
            <p>{asked === null ? words.noneHint : isForGood ? words.refusedHint : words.brokenHint}</p>
            {asked === null && (
              <div className={styles.action}>
                <a className="button" href="/">
                  {siteTexts.home}
                </a>
              </div>
            )}
            {!isForGood && (
              <div className={styles.action}>
                <button
                  type="button"
                  className="button"
                  onClick={() => {
                    setBroken(false)
                    retry()
                  }}
                >
                  {siteTexts.retry}
                </button>
              </div>
            )}
          </>
        )}
      </div>
    </SitePage>
  )
}
