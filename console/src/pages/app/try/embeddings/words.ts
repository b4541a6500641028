import { words } from '../../../../words/language.tsx'

export const embeddingsWords = words({
  sw: {
    lead: 'Linganisha maana ya sentensi. Mstari wa kwanza unalinganishwa na mingine.',
    input: 'Sentensi, kila moja kwenye mstari wake',
    example: 'Bei ya mahindi imepanda\nMahindi yamekuwa ghali\nMvua itanyesha kesho',
    compare: 'Linganisha',
    facts: (count: string, length: string) => `Vekta ${count}, kila moja ina namba ${length}.`,
    likeness: 'Ufanano na mstari wa kwanza',
    text: 'Sentensi',
    first: 'Namba za kwanza',
  },
  en: {
    lead: 'Compare the meaning of sentences. The first line is held against the others.',
    input: 'Sentences, one per line',
    example: 'The price of maize has risen\nMaize has become dear\nIt will rain tomorrow',
    compare: 'Compare',
    facts: (count, length) => `${count} vectors of ${length} numbers each.`,
    likeness: 'Likeness to the first line',
    text: 'Sentence',
    first: 'First numbers',
  },
})
