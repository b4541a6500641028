/**
 * The words with which models say what is wrong with a request: these may begin with a capital, and
 * be parts of a field's name.
 */
export const REASON_WORDS: ReadonlySet<string> = new Set(
  `
a additional after all allowed also always an and any api are array arrays as aspect assistant at
audio auto available bad base64 be because been before between body boolean but by bytes cache call
calls can cannot character characters chat check choice choices code completion completions config
contain contains content contents context control conversation convert could count data date
deprecated describe description detail developer did dimensions do document does duplicate duration
each effort either embedding embeddings empty encoding end enum error errors every exceed exceeded
exceeds expected extra failed false field fields file files final finish first float follow
following for format found frame frequency from function functions generate generation gif given
got greater had has have header heic high higher history however html http id image images in
include index input inputs instead instructions integer invalid is it item items its jpeg jpg json
just key keys language large larger last least left length less level limit limits list logit
logprobs long longer low lower many match max maximum may media message messages metadata mime min
minimum missing modalities model model's models more most mp3 mp4 must name names negative no none
not null number object objects of on one only operation option options or other output over
parallel parameter parameters parse part parts pdf penalty per pixels please png positive prediction
prefill presence previous prior process prohibited prompt prompts properties property provide
provided provider ratio read reason reasoning received redacted reduce reference refers refused
rejected remove repetition request requested requests require required requires resolution resource
response responses result results retry return returned role roles safety sampling schema second
seconds see seed send sequence sequences set shape shorten should signature since size so some
something source speech start stop stream streaming strict string strings structured such support
supported supports system temperature text than that the their there these they thinking this those
through tier to together token tokens too tool tools top total true try turn type types unable
unexpected unknown unrecognized unsupported until update upload url urls usage use used user uses
using valid validate validation value values verbosity version video voice was wav we webp were what
when where which while will with within without words wrong you your zero k p n x y utf
`
    .trim()
    .split(/\s+/),
)
