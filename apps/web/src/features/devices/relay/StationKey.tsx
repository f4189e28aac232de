// The change of a station's password over its own connection: how far it is, and the button that asks for it.
import { useQuery } from '@tanstack/react-query'
import type { DeviceRow } from '@voltkeep/contract/devices'
import { type OcppKeyChange, readOcppKeyChange, renewOcppKey } from '@voltkeep/contract/ocppKeys'
import { reading } from '../../../lib/wire/reading.ts'
import { useWriting } from '../../../lib/wire/writing.ts'
import { ConfirmButton } from '../../../ui/buttons/ConfirmButton.tsx'
import { DetailSection, Facts } from '../../../ui/detail/DetailPanel.tsx'
import { Permitted } from '../../../ui/Permitted.tsx'
import styles from '../devices.module.css'
import { relayTexts } from './relay.texts.ts'

const { keys: words } = relayTexts
const lookAgainMs = 5_000

function stateWords({ state, failure, doneTime }: OcppKeyChange): string {
  switch (state) {
    case 'done':
      return words.states.done(doneTime ?? '')
    case 'failed':
      return words.states.failed(failure ?? '')
    default:
      return words.states[state]
  }
}

const isUnderWay = (change: OcppKeyChange | null | undefined) =>
  change?.state === 'waiting' || change?.state === 'told'

export function StationKey({ device: { id, code } }: { device: Pick<DeviceRow, 'id' | 'code'> }) {
  const { data } = useQuery({
    ...reading(readOcppKeyChange, { id }),
    refetchInterval: ({ state }) => (isUnderWay(state.data?.change) ? lookAgainMs : false),
  })
  const renewing = useWriting(renewOcppKey, [readOcppKeyChange])
  if (!data) return null
  const { change } = data
  return (
    <DetailSection
      title={words.title}
      aside={
        <Permitted code={renewOcppKey.access}>
          <ConfirmButton
            type="link"
            size="small"
            disabled={isUnderWay(change)}
            title={words.renew}
            body={
              <>
                <p>{words.ask(code)}</p>
                <p>{words.warn}</p>
              </>
            }
            confirmLabel={words.renew}
            onConfirm={() => renewing.mutateAsync({ id })}
          >
            {words.renew}
          </ConfirmButton>
        </Permitted>
      }
    >
      {change ? (
        <Facts
          facts={[
            [words.state, stateWords(change)],
            [words.asked, words.by(change.askBy, change.askTime)],
          ]}
        />
      ) : (
        <p className={styles.quiet}>{words.none}</p>
      )}
    </DetailSection>
  )
}
