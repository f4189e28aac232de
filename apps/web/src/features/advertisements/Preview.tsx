import { useQuery } from '@tanstack/react-query'
import { previewAdvertisement } from '@voltkeep/contract/advertisements'
import { useEffect, useState } from 'react'
import { texts } from '../../lib/texts/index.ts'
import { call, type FileAnswer } from '../../lib/wire/call.ts'
import styles from './advertisements.module.css'
import { advertisementTexts } from './advertisements.texts.ts'

/** The picture or the video of an advertisement, as cabinets show it. */
export function Preview({ adId, name }: { adId: string; name: string }) {
  const query = useQuery({
    queryKey: ['advertisementPreview', adId],
    queryFn: async ({ signal }) => (await call(previewAdvertisement, { adId }, { signal })) as FileAnswer,
    retry: false,
    staleTime: Infinity,
    // The error is shown in place of the picture.
    meta: { isQuiet: true },
  })
  if (query.error) {
    return (
      <div className={styles.preview} role="alert">
        <span>
          {advertisementTexts.previewFailed}{' '}
          <button type="button" className="link-button" onClick={() => void query.refetch()}>
            {texts.list.retry}
          </button>
        </span>
      </div>
    )
  }
  if (!query.data) return <div className={styles.preview}>{texts.list.loading}</div>
  return <Shown blob={query.data.blob} name={name} />
}

/** Shows a picture or a video from a blob that the page already has. */
export function Shown({ blob, name }: { blob: Blob; name: string }) {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(blob)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  if (address === undefined) return <div className={styles.preview} />
  return (
    <div className={styles.preview}>
      {blob.type.startsWith('video/') ? (
        // biome-ignore lint/a11y/useMediaCaption: an advertisement comes without captions
        <video src={address} controls aria-label={name} />
      ) : (
        <img src={address} alt={name} />
      )}
    </div>
  )
}
