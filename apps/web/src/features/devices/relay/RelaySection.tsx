// A station's relay on its page: whether its platform is connected, and what was wrong.
import { useQuery } from '@tanstack/react-query'
import { type DeviceRow, readDevice } from '@voltkeep/contract/devices'
import {
  deleteOcppRelay,
  insertOcppRelay,
  type OcppRelay,
  readOcppRelay,
} from '@voltkeep/contract/ocppRelays'
import { useState } from 'react'
import { reading } from '../../../lib/wire/reading.ts'
import { DeleteRow } from '../../../ui/buttons/DeleteButton.tsx'
import { RowButton } from '../../../ui/buttons/RowActions.tsx'
import { CopyText } from '../../../ui/CopyText.tsx'
import { DetailSection, Facts } from '../../../ui/detail/DetailPanel.tsx'
import { lazyDialog } from '../../../ui/lazyDialog.tsx'
import styles from '../devices.module.css'
import { relayTexts } from './relay.texts.ts'

const RelayDialog = lazyDialog(() => import('./RelayDialog.tsx'))

const { fields, ...words } = relayTexts
const lookAgainMs = 10_000

const stateWords = ({ state, connectedTime }: OcppRelay) =>
  state === 'connected' ? words.states.connected(connectedTime ?? '') : words.states[state]

export function RelaySection({ device }: { device: Pick<DeviceRow, 'id' | 'code'> }) {
  const { id, code } = device
  const { data } = useQuery({ ...reading(readOcppRelay, { id }), refetchInterval: lookAgainMs })
  const [isOpen, setOpen] = useState(false)
  if (!data) return null
  const { relay } = data
  return (
    <DetailSection
      title={words.title}
      aside={
        <span className={styles.links}>
          <RowButton code={insertOcppRelay.access} onClick={() => setOpen(true)}>
            {relay ? words.edit : words.add}
          </RowButton>
          {relay && (
            <DeleteRow
              endpoint={deleteOcppRelay}
              input={{ id }}
              stale={[readOcppRelay, readDevice]}
              words={words.remove}
              asks={[words.remove.ask(code), words.remove.warn]}
            />
          )}
        </span>
      }
    >
      {relay ? (
        <Facts
          facts={[
            [fields.state, stateWords(relay)],
            [fields.url, <CopyText key="url" text={relay.url} />],
            [fields.identity, relay.identity],
            [fields.lastError, relay.lastError && words.error(relay.lastErrorTime ?? '', relay.lastError)],
          ]}
        />
      ) : (
        <p className={styles.quiet}>{words.none}</p>
      )}
      {isOpen && <RelayDialog device={device} relay={relay} onClose={() => setOpen(false)} />}
    </DetailSection>
  )
}
