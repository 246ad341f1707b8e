package atlas

// AnswerIssues gives the public form of the node's issues; it is never nil.
func (n *Node) AnswerIssues() []AnswerIssue {
	issues := make([]AnswerIssue, len(n.Issues))
	for i := range n.Issues {
		issues[i] = answerIssue(&n.Issues[i])
	}
	return issues
}
